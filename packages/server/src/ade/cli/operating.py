"""ade pauses, builds, audit, webhooks, members: operating a deployment from a terminal."""

from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from ade.cli.connection import show
from ade.cli.groups import JsonOption, WorkspaceOption, lists_alone, server_command
from ade.cli.output import print_json, say
from ade.cli.remote import pause_queue, resume_queue

if TYPE_CHECKING:
    from ade.client import Client

pauses = typer.Typer(invoke_without_command=True)
builds = typer.Typer(invoke_without_command=True)
audit = typer.Typer(invoke_without_command=True)
webhooks = typer.Typer(invoke_without_command=True)
members = typer.Typer(invoke_without_command=True)

PAUSE_COLUMNS = {"pause": "id", "holds back": "what", "by": "created_by", "since": "created_at", "reason": "reason"}
BUILD_COLUMNS = {
    "build": "id",
    "configuration": "configuration_name",
    "version": "version",
    "status": "status",
    "runs waiting": "waiting_run_count",
    "made": "finished_at",
    "failure": "message",
}
AUDIT_COLUMNS = {
    "when": "at",
    "who": "actor_name",
    "action": "action",
    "of": "subject",
    "changes": "what",
    "reason": "reason",
}
WEBHOOK_COLUMNS = {
    "webhook": "id",
    "address": "url",
    "of runs that": "tells",
    "by": "created_by",
    "since": "created_at",
}
DELIVERY_COLUMNS = {
    "message": "id",
    "type": "type",
    "status": "status",
    "tries": "attempt_count",
    "answer": "answered_status",
    "error": "error",
    "sent": "delivered_at",
    "next try": "next_attempt_at",
}
MEMBER_COLUMNS = {"email": "email", "name": "name", "role": "role", "since": "created_at", "user": "user_id"}
LimitOption = Annotated[int, typer.Option(help="Maximum number to list.", min=1)]
BuildId = Annotated[str, typer.Argument(help="Id of the build.")]
WebhookId = Annotated[str, typer.Argument(help="Id of the webhook.")]
PersonArgument = Annotated[str, typer.Argument(help="Email address or user id.")]


@server_command(pauses, "list")
def list_pauses(client: "Client", as_json: JsonOption = False) -> None:
    """List the pauses in force: what they hold back, who made them and why."""
    show(client.pauses(), PAUSE_COLUMNS, as_json=as_json, nothing="Nothing is paused.")


pauses.command("create")(pause_queue)
pauses.command("delete")(resume_queue)


@server_command(builds, "list")
def list_builds(
    client: "Client",
    status: Annotated[str | None, typer.Option(help="Only builds of this status.")] = None,
    configuration: Annotated[str | None, typer.Option(help="Only those of this configuration, by id.")] = None,
    limit: LimitOption = 20,
    as_json: JsonOption = False,
) -> None:
    """List builds, newest first."""
    found = islice(client.builds(status=status, configuration_id=configuration), limit)
    show(found, BUILD_COLUMNS, as_json=as_json, nothing="No builds.")


@server_command(builds, "show")
def show_build(client: "Client", build_id: BuildId) -> None:
    """Show everything about a build, as JSON."""
    print_json(client.call("GET", f"/builds/{build_id}"))


@server_command(builds, "log")
def print_build_log(client: "Client", build_id: BuildId) -> None:
    """Print the log of a build."""
    say(client.build_log(build_id), is_line=False)


@server_command(builds, "cancel")
def cancel_build(client: "Client", build_id: BuildId, as_json: JsonOption = False) -> None:
    """Cancel a build; the runs that wait for it fail."""
    show([client.cancel_build(build_id)], BUILD_COLUMNS, as_json=as_json)


@server_command(audit, "list")
def list_audit(
    client: "Client",
    action: Annotated[str | None, typer.Option(help="Only this action, such as run.priority.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only changes of this kind of object, such as run.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only changes of the object with this id.")] = None,
    workspace: WorkspaceOption = None,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """List changes and their authors, newest first; without --workspace, in all workspaces that you administer."""
    place = client.workspace(workspace).id if workspace else None
    found = client.audit(workspace_id=place, action=action, subject_kind=kind, subject_id=subject)
    show(islice(found, limit), AUDIT_COLUMNS, as_json=as_json, nothing="Nothing was changed.")


@server_command(webhooks, "list")
def list_webhooks(client: "Client", workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List the webhooks of a workspace."""
    found = client.webhooks(client.workspace(workspace).id)
    show(found, WEBHOOK_COLUMNS, as_json=as_json, nothing="No webhooks. `ade webhooks create` adds one.")


@server_command(webhooks, "create")
def create_webhook(
    client: "Client",
    address: Annotated[str, typer.Argument(help="Where messages go, such as https://example.org/ade.")],
    statuses: Annotated[
        list[str] | None,
        typer.Option("--status", help="Only runs that end with this status; may be repeated. By default all."),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send a message to an address when runs end; shows the secret that signs messages, only once."""
    made = client.create_webhook(client.workspace(workspace).id, address, statuses=statuses or ())
    show([made], {"webhook": "id", "secret": "secret"}, as_json=as_json)


@server_command(webhooks, "show")
def show_webhook(client: "Client", webhook_id: WebhookId) -> None:
    """Show a webhook, as JSON."""
    print_json(client.call("GET", f"/webhooks/{webhook_id}"))


@server_command(webhooks, "delete")
def delete_webhook(client: "Client", webhook_id: WebhookId) -> None:
    """Remove a webhook; pending messages are dropped."""
    client.delete_webhook(webhook_id)


@server_command(webhooks, "ping")
def ping_webhook(client: "Client", webhook_id: WebhookId, as_json: JsonOption = False) -> None:
    """Send a test message to the webhook."""
    show([client.ping_webhook(webhook_id)], DELIVERY_COLUMNS, as_json=as_json)


@server_command(webhooks, "deliveries")
def list_deliveries(
    client: "Client",
    webhook_id: WebhookId,
    limit: LimitOption = 20,
    as_json: JsonOption = False,
) -> None:
    """List the messages of a webhook with their outcome, newest first."""
    found = islice(client.deliveries(webhook_id), limit)
    show(found, DELIVERY_COLUMNS, as_json=as_json, nothing="No messages yet. `ade webhooks ping` sends one.")


@server_command(webhooks, "send-again")
def send_again(
    client: "Client",
    webhook_id: WebhookId,
    message_id: Annotated[str, typer.Argument(help="Id of the message.")],
    as_json: JsonOption = False,
) -> None:
    """Send a message again, whatever its outcome."""
    show([client.send_again(webhook_id, message_id)], DELIVERY_COLUMNS, as_json=as_json)


@server_command(members, "list")
def list_members(client: "Client", workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List the members of a workspace and their roles."""
    found = client.members(client.workspace(workspace).id)
    show(found, MEMBER_COLUMNS, as_json=as_json, nothing="No members. `ade members set` adds one.")


@server_command(members, "set")
def set_member(
    client: "Client",
    person: PersonArgument,
    role: Annotated[str, typer.Argument(help="viewer, operator, author or admin.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a person a member of a workspace, or give them another role."""
    made = client.set_member(client.workspace(workspace).id, person, role)
    show([made], MEMBER_COLUMNS, as_json=as_json)


@server_command(members, "remove")
def remove_member(client: "Client", person: PersonArgument, workspace: WorkspaceOption = None) -> None:
    """End a membership."""
    client.remove_member(client.workspace(workspace).id, person)


lists_alone(pauses, list_pauses, "List, create and delete pauses of the queue; alone: list them.")
lists_alone(builds, list_builds, "List and cancel builds, and read their logs; alone: list them.")
lists_alone(audit, list_audit, "Read the audit log; alone: list the latest changes.")
lists_alone(webhooks, list_webhooks, "List, create, try and delete webhooks; alone: list them.")
lists_alone(members, list_members, "List the members of a workspace, add and remove them; alone: list them.")
