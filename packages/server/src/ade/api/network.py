"""Network access of the runs a request submits."""

from ade.api.access import Access
from ade.domain.network import NetworkAccess, NetworkRule
from ade.system import System


def network_rule(system: System, access: Access) -> NetworkRule:
    """Return what the caller may ask for in the workspace of the request."""
    setting = NetworkAccess(system.settings.runtime_network_access)
    return NetworkRule(access=setting, role=access.caller.role_in(access.workspace_id))
