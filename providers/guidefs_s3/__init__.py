"""Instruction files and guarded writes on S3, for filesystems of s3fs."""

from guidefs_s3.provider import S3Provider

__all__ = ["S3Provider"]
