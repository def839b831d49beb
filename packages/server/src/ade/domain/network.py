"""Network access of runs: who may give it to one."""

from dataclasses import dataclass
from enum import StrEnum

from ade.domain.access import Role
from ade.errors import Forbidden

SETTING = "ADE_RUNTIME_NETWORK_ACCESS"
LEAST_ROLE = Role.AUTHOR


class NetworkAccess(StrEnum):
    """Which runs may use the network."""

    NEVER = "never"
    ASK = "ask"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRule:
    """What the deployment allows, and the role of the person who submits a run in its workspace."""

    access: NetworkAccess
    role: Role | None

    def decide(self, asked: bool | None) -> bool:
        """Return whether a run gets network access; raise Forbidden when it is asked for and not allowed.

        None leaves it to the deployment.
        """
        if asked is None:
            return self.access == NetworkAccess.ALWAYS
        if not asked or self.access == NetworkAccess.ALWAYS:
            return asked
        if self.access == NetworkAccess.NEVER:
            raise Forbidden(f"Runs get no network access here: {SETTING} is {NetworkAccess.NEVER}.")
        if self.role is None or self.role.rank < LEAST_ROLE.rank:
            raise Forbidden(
                f"Network access for a run needs the role {LEAST_ROLE} in the workspace ({SETTING} is {self.access}); "
                f"yours is {self.role or 'none'}."
            )
        return True
