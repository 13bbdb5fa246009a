"""The conformance class: what every provider has to do, in tests that its author runs."""

from __future__ import annotations

from typing import Any

from guidefs.testing.access_tests import AccessTests
from guidefs.testing.answer_tests import AnswerTests
from guidefs.testing.bound_tests import BoundTests
from guidefs.testing.change_tests import ChangeTests
from guidefs.testing.name_tests import NameTests

__all__ = ["ProviderTests"]


class ProviderTests(AnswerTests, ChangeTests, BoundTests, NameTests, AccessTests):
    """The contract of a provider as tests, for pytest or any runner that makes an instance for each.

    Subclass it, fill in the required hooks of `guidefs.testing.ground.Ground`, and say what the backend can do:

        class TestMyProvider(ProviderTests):
            supports_versions = False

            @pytest.fixture(autouse=True)
            def ground(self, server):
                self.server, self.root = server, "bucket/" + uuid4().hex

            def make_filesystem(self):
                return MyFileSystem(self.server.url)

            def put(self, path, data):       # and delete, get: not through the filesystem under test
                self.server.files[path] = data

    A test may be overridden only by one that is marked as an expected failure and gives its reason:

            @pytest.mark.xfail(reason="the backend cannot ...")
            def test_links(self):
                super().test_links()
    """

    def test_no_test_is_switched_off(self) -> None:
        """A subclass replaces a test only with one that is marked `xfail` with a reason.

        Raises:
            AssertionError: it replaces one silently.
        """
        for name in dir(ProviderTests):
            if name.startswith("test_") and not self._may_stand(name):
                raise AssertionError(
                    f"{type(self).__name__}.{name} replaces a test of the contract: remove it, or mark it with "
                    "@pytest.mark.xfail(reason=...)"
                )

    def _may_stand(self, name: str) -> bool:
        own: Any = getattr(type(self), name)
        if own is getattr(ProviderTests, name):
            return True
        marks = [mark for mark in getattr(own, "pytestmark", ()) if mark.name == "xfail"]
        return any(str(mark.kwargs.get("reason", "")).strip() for mark in marks)
