"""An object store as the stage of a recorded scenario."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from fsspec.asyn import sync

from guidefs.errors import UsageError
from guidefs.storage.registry import provider_for
from guidefs.testing.faults import FaultyProvider
from guidefs.testing.stage import LocalStage, content_of

__all__ = ["S3Stage"]


class S3Stage:
    """A part of a bucket. A directory is a key that ends in `/`, and the home a URL on the same store.

    The home of the operating system, which `~` stands for, is on this host's disk, where everything is made once more
    for that. There are no links.

    Args:
        fs: an s3fs filesystem in its synchronous mode. Its own listing cache is neither asked nor told when the tree
            is changed, as if somebody else had done it.
        directory: where to play, as `bucket/prefix`; nothing else may lie there.
        settings: settings of the provider.
    """

    def __init__(self, fs: Any, directory: str, **settings: object) -> None:
        self.fs = fs
        self.root = directory
        self.address = f"s3://{directory}"
        self.provider = FaultyProvider(provider_for(fs, settings))
        self._bucket, _, self._prefix = directory.partition("/")
        self._host = LocalStage()

    def home(self, path: str) -> str:
        """The setting that names a directory of the stage as the home."""
        return f"{self.address}/{path}"

    def system_home(self, path: str) -> str:
        """The directory that the process sees as `HOME`."""
        return self._host.system_home(path)

    def put(self, path: str, entry: Mapping[str, Any], *, same_version: bool = False) -> None:
        """Make what a tree entry describes.

        Raises:
            UsageError: it is a link, or the old version is to be kept.
        """
        if "symlink" in entry or same_version:
            raise UsageError(f"{path!r} cannot be made on S3: there are no links, and every content has its version")
        if entry.get("dir"):
            self.make_directory(path)
            return
        self._host.put(path, entry)
        self._call("put_object", path, Body=content_of(entry))

    def make_directory(self, path: str) -> None:
        """Make the placeholder of a directory."""
        self._host.make_directory(path)
        self._call("put_object", f"{path}/", Body=b"")

    def delete(self, path: str) -> None:
        """Delete the object of a name, and all below it."""
        self._host.delete(path)
        self._delete(self._keys(path))

    def rename(self, source: str, target: str) -> None:
        """Copy the object of a name, and all below it, then delete them."""
        self._host.rename(source, target)
        keys = self._keys(source)
        for key in keys:
            rest = key.removeprefix(self._key(source))
            self._call("copy_object", f"{target}{rest}", CopySource={"Bucket": self._bucket, "Key": key})
        self._delete(keys)

    def touch_version(self, path: str) -> None:
        """Give an object another ETag and leave its bytes: upload it in parts if it was not, and the other way round.

        A second PUT of the same bytes would have the ETag of the first.
        """
        self._host.touch_version(path)
        found = self._call("get_object", path, Range="bytes=0-")
        body = self.fs.cat_file(f"{self.root}/{path}", start=0, end=found["ContentLength"])
        if "-" in found["ETag"]:
            self._call("put_object", path, Body=body)
            return
        upload = {"UploadId": self._call("create_multipart_upload", path)["UploadId"]}
        part = self._call("upload_part", path, Body=body, PartNumber=1, **upload)
        parts = {"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]}
        self._call("complete_multipart_upload", path, MultipartUpload=parts, **upload)

    def close(self) -> None:
        """Delete everything."""
        self._host.close()
        self._delete(self._listed(f"{self._prefix}/"))

    def _key(self, path: str) -> str:
        return f"{self._prefix}/{path}"

    def _call(self, method: str, path: str, **arguments: Any) -> Any:
        return self.fs.call_s3(method, Bucket=self._bucket, Key=self._key(path), **arguments)

    def _keys(self, path: str) -> list[str]:
        key = self._key(path)
        return [found for found in self._listed(key) if found == key or found.startswith(f"{key}/")]

    def _listed(self, prefix: str) -> list[str]:
        page = self.fs.call_s3("list_objects_v2", Bucket=self._bucket, Prefix=prefix)
        return [item["Key"] for item in page.get("Contents", ())]

    def _delete(self, keys: list[str]) -> None:
        # One by one, because the XML of a joint request cannot name keys with control characters.
        sync(self.fs.loop, self._delete_each, keys)

    async def _delete_each(self, keys: list[str]) -> None:
        await asyncio.gather(*(self.fs._call_s3("delete_object", Bucket=self._bucket, Key=key) for key in keys))
