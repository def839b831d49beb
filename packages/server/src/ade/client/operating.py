"""Calls for those who operate a deployment: pauses, workers, builds, members, webhooks and the audit log."""

from collections.abc import Iterator, Sequence
from typing import Any

from ade.client.connection import Connection
from ade.client.models import AuditRow, Build, Delivery, Member, Pause, Proposal, Run, Webhook, Worker
from ade.errors import ServerRefused

_PAGE = 50  # of proposals, which carry their corrections
_ABOUT = {"id", "by", "at", "document"}  # of a correction: who made it, when, and why


class Operating(Connection):
    """What operators and administrators do."""

    def pauses(self) -> list[Pause]:
        """Return the pauses in force that you see, oldest first."""
        return [Pause.of(item) for item in self.call("GET", "/queue", params={"limit": 1})["pauses"]]

    def pause(self, scope: str, value: str | None, reason: str) -> str:
        """Hold back everything, a priority, a workspace or a plan; return the pause's id."""
        body = {"scope": scope, "value": value, "reason": reason}
        return str(self.call("POST", "/queue/pauses", json=body)["id"])

    def resume(self, pause_id: str) -> None:
        """Lift a pause."""
        self.call("DELETE", f"/queue/pauses/{pause_id}")

    def workers(self) -> list[Worker]:
        """Return the workers at work, and those that stopped lately."""
        return [Worker.of(item) for item in self.call("GET", "/workers")["items"]]

    def drain_worker(self, worker_id: str) -> Worker:
        """Ask a worker to claim nothing more; what it has in work finishes."""
        return Worker.of(self.call("POST", f"/workers/{worker_id}/drain"))

    def builds(self, **filters: Any) -> Iterator[Build]:
        """Yield builds, newest first."""
        return (Build.of(item) for item in self._items("/builds", **filters))

    def cancel_build(self, build_id: str) -> Build:
        """Cancel a build; the runs that wait for it fail."""
        return Build.of(self.call("POST", f"/builds/{build_id}/cancel"))

    def build_log(self, build_id: str) -> str:
        """Return the log of a build."""
        return self._send("GET", f"/builds/{build_id}/logs").text

    def audit(self, **filters: Any) -> Iterator[AuditRow]:
        """Yield who changed what, newest first."""
        return (AuditRow.of(item) for item in self._items("/audit", **filters))

    def proposals(self, workspace_id: str, *, state: str = "waiting") -> Iterator[Proposal]:
        """Yield corrections that operators made, with what became of them, the latest first."""
        return (
            Proposal.of(item) for item in self._items(f"/workspaces/{workspace_id}/proposals", state=state, limit=_PAGE)
        )

    def accept_proposal(self, run_id: str, *, note: str | None = None, skip_tests: bool = False) -> Run:
        """Apply the corrections of a run from now on, in a version that is published; return its run."""
        run = self.call("GET", f"/runs/{run_id}")
        corrections = [{key: one[key] for key in one if key not in _ABOUT} for one in run["corrections"] or ()]
        order = {
            "input_document_id": run["input_document_id"],
            "corrections": [one for one in corrections if one["kind"] != "row"],
            "earlier_run_id": run_id,
            "accepts_proposal_of": run_id,
            "note": note,
            "skip_tests": skip_tests,
        }
        return Run.of(self.call("POST", f"/configurations/{run['configuration_id']}/corrections", json=order))

    def decline_proposal(self, run_id: str, *, note: str | None = None) -> Run:
        """Leave the corrections of a run with its document alone, and say why."""
        return Run.of(self.call("POST", f"/runs/{run_id}/proposal", json={"decision": "declined", "note": note}))

    def webhooks(self, workspace_id: str) -> list[Webhook]:
        """Return the webhooks of a workspace."""
        return [Webhook.of(item) for item in self.call("GET", f"/workspaces/{workspace_id}/webhooks")["items"]]

    def create_webhook(self, workspace_id: str, url: str, *, statuses: Sequence[str] = ()) -> Webhook:
        """Send a message to an address when runs end with one of these statuses, or any; return it with its secret."""
        body = {"url": url, **({"statuses": list(statuses)} if statuses else {})}
        return Webhook.of(self.call("POST", f"/workspaces/{workspace_id}/webhooks", json=body))

    def delete_webhook(self, webhook_id: str) -> None:
        """Remove a webhook."""
        self.call("DELETE", f"/webhooks/{webhook_id}")

    def ping_webhook(self, webhook_id: str) -> Delivery:
        """Send a message that only tries a webhook."""
        return Delivery.of(self.call("POST", f"/webhooks/{webhook_id}/ping"))

    def deliveries(self, webhook_id: str) -> Iterator[Delivery]:
        """Yield the messages of a webhook and what became of them, newest first."""
        return (Delivery.of(item) for item in self._items(f"/webhooks/{webhook_id}/deliveries"))

    def send_again(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Send a message again."""
        return Delivery.of(self.call("POST", f"/webhooks/{webhook_id}/deliveries/{delivery_id}/send-again"))

    def members(self, workspace_id: str) -> list[Member]:
        """Return the members of a workspace, by email address."""
        return [Member.of(item) for item in self.call("GET", f"/workspaces/{workspace_id}/members")["items"]]

    def set_member(self, workspace_id: str, person: str, role: str) -> Member:
        """Make someone a member, by email address or id, or give them another role."""
        user_id = self._member_id(workspace_id, person)
        if user_id is None:
            order = {"email": person.strip(), "role": role}
            return Member.of(self.call("POST", f"/workspaces/{workspace_id}/members", json=order))
        return Member.of(self.call("PUT", f"/workspaces/{workspace_id}/members/{user_id}", json={"role": role}))

    def remove_member(self, workspace_id: str, person: str) -> None:
        """End a membership, by email address or id."""
        user_id = self._member_id(workspace_id, person)
        if user_id is None:
            raise ServerRefused(f"{person} is not a member of this workspace.")
        self.call("DELETE", f"/workspaces/{workspace_id}/members/{user_id}")

    def _member_id(self, workspace_id: str, person: str) -> str | None:
        """Return the id of a person: as it was given, or that of the member with this address; None without one."""
        if "@" not in person:
            return person
        wanted = person.strip().casefold()
        found = (member.user_id for member in self.members(workspace_id) if member.email.casefold() == wanted)
        return next(found, None)
