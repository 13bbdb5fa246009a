"""A host, its disk and its faults at random: ten thousand steps on threads, ten thousand on an event loop."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

from guidefs.testing.machine import AsyncSessionMachine, SessionMachine

_STEPS = settings(max_examples=400, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck))

TestSession = SessionMachine.TestCase
TestSession.settings = _STEPS
TestAsyncSession = AsyncSessionMachine.TestCase
TestAsyncSession.settings = _STEPS
