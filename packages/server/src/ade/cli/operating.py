"""ade pauses, builds, audit, webhooks, members: operating a deployment from a terminal."""

from itertools import islice
from typing import Annotated

import typer

from ade.cli.connection import DEFAULT_URL, connect, show
from ade.cli.groups import JsonOption, KeyOption, UrlOption, WorkspaceOption, lists_alone
from ade.cli.output import print_json, say
from ade.cli.remote import pause_queue, resume_queue

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
LimitOption = Annotated[int, typer.Option(help="Most to list.", min=1)]
BuildId = Annotated[str, typer.Argument(help="Id of the build.")]
WebhookId = Annotated[str, typer.Argument(help="Id of the webhook.")]
PersonArgument = Annotated[str, typer.Argument(help="Email address or user id.")]


@pauses.command("list")
def list_pauses(url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False) -> None:
    """List the pauses in force: what they hold back, who paused it and why."""
    with connect(url, key) as client:
        show(client.pauses(), PAUSE_COLUMNS, as_json=as_json, nothing="Nothing is paused.")


pauses.command("create")(pause_queue)
pauses.command("delete")(resume_queue)


@builds.command("list")
def list_builds(
    status: Annotated[str | None, typer.Option(help="Only builds of this status.")] = None,
    configuration: Annotated[str | None, typer.Option(help="Only those of this configuration, by id.")] = None,
    limit: LimitOption = 20,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List builds, newest first."""
    with connect(url, key) as client:
        found = islice(client.builds(status=status, configuration_id=configuration), limit)
        show(found, BUILD_COLUMNS, as_json=as_json, nothing="No builds.")


@builds.command("show")
def show_build(build_id: BuildId, url: UrlOption = DEFAULT_URL, key: KeyOption = None) -> None:
    """Show everything about a build, as JSON."""
    with connect(url, key) as client:
        print_json(client.call("GET", f"/builds/{build_id}"))


@builds.command("log")
def print_build_log(build_id: BuildId, url: UrlOption = DEFAULT_URL, key: KeyOption = None) -> None:
    """Print the log of a build."""
    with connect(url, key) as client:
        say(client.build_log(build_id), is_line=False)


@builds.command("cancel")
def cancel_build(
    build_id: BuildId, url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False
) -> None:
    """Cancel a build; the runs that wait for it fail."""
    with connect(url, key) as client:
        show([client.cancel_build(build_id)], BUILD_COLUMNS, as_json=as_json)


@audit.command("list")
def list_audit(
    action: Annotated[str | None, typer.Option(help="Only this action, such as run.priority.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only changes of this kind of thing, such as run.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only changes of the thing of this id.")] = None,
    workspace: WorkspaceOption = None,
    limit: LimitOption = 50,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List who changed what, newest first; without --workspace in all that you administer."""
    with connect(url, key) as client:
        place = client.workspace(workspace).id if workspace else None
        found = client.audit(workspace_id=place, action=action, subject_kind=kind, subject_id=subject)
        show(islice(found, limit), AUDIT_COLUMNS, as_json=as_json, nothing="Nothing was changed.")


@webhooks.command("list")
def list_webhooks(
    workspace: WorkspaceOption = None, url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False
) -> None:
    """List the webhooks of a workspace."""
    with connect(url, key) as client:
        found = client.webhooks(client.workspace(workspace).id)
        show(found, WEBHOOK_COLUMNS, as_json=as_json, nothing="No webhooks. `ade webhooks create` adds one.")


@webhooks.command("create")
def create_webhook(
    address: Annotated[str, typer.Argument(help="Where messages go, such as https://example.org/ade.")],
    statuses: Annotated[
        list[str] | None, typer.Option("--status", help="Only runs that end so; may be repeated. Else all.")
    ] = None,
    workspace: WorkspaceOption = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send a message to an address when runs end; shows the secret that signs messages, this once."""
    with connect(url, key) as client:
        made = client.create_webhook(client.workspace(workspace).id, address, statuses=statuses or ())
        show([made], {"webhook": "id", "secret": "secret"}, as_json=as_json)


@webhooks.command("show")
def show_webhook(webhook_id: WebhookId, url: UrlOption = DEFAULT_URL, key: KeyOption = None) -> None:
    """Show a webhook, as JSON."""
    with connect(url, key) as client:
        print_json(client.call("GET", f"/webhooks/{webhook_id}"))


@webhooks.command("delete")
def delete_webhook(webhook_id: WebhookId, url: UrlOption = DEFAULT_URL, key: KeyOption = None) -> None:
    """Remove a webhook; messages that were not sent are not sent."""
    with connect(url, key) as client:
        client.delete_webhook(webhook_id)


@webhooks.command("ping")
def ping_webhook(
    webhook_id: WebhookId, url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False
) -> None:
    """Send a message that only tries the webhook."""
    with connect(url, key) as client:
        show([client.ping_webhook(webhook_id)], DELIVERY_COLUMNS, as_json=as_json)


@webhooks.command("deliveries")
def list_deliveries(
    webhook_id: WebhookId,
    limit: LimitOption = 20,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the messages of a webhook and what became of them, newest first."""
    with connect(url, key) as client:
        found = islice(client.deliveries(webhook_id), limit)
        show(found, DELIVERY_COLUMNS, as_json=as_json, nothing="No messages yet. `ade webhooks ping` sends one.")


@webhooks.command("send-again")
def send_again(
    webhook_id: WebhookId,
    message_id: Annotated[str, typer.Argument(help="Id of the message.")],
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send a message again, whatever became of it."""
    with connect(url, key) as client:
        show([client.send_again(webhook_id, message_id)], DELIVERY_COLUMNS, as_json=as_json)


@members.command("list")
def list_members(
    workspace: WorkspaceOption = None, url: UrlOption = DEFAULT_URL, key: KeyOption = None, as_json: JsonOption = False
) -> None:
    """List the members of a workspace and their roles."""
    with connect(url, key) as client:
        found = client.members(client.workspace(workspace).id)
        show(found, MEMBER_COLUMNS, as_json=as_json, nothing="No members. `ade members set` adds one.")


@members.command("set")
def set_member(
    person: PersonArgument,
    role: Annotated[str, typer.Argument(help="viewer, operator, author or admin.")],
    workspace: WorkspaceOption = None,
    url: UrlOption = DEFAULT_URL,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make someone a member of a workspace, or give them another role."""
    with connect(url, key) as client:
        made = client.set_member(client.workspace(workspace).id, person, role)
        show([made], MEMBER_COLUMNS, as_json=as_json)


@members.command("remove")
def remove_member(
    person: PersonArgument, workspace: WorkspaceOption = None, url: UrlOption = DEFAULT_URL, key: KeyOption = None
) -> None:
    """End a membership."""
    with connect(url, key) as client:
        client.remove_member(client.workspace(workspace).id, person)


lists_alone(pauses, list_pauses, "List, create and delete pauses of the queue; alone: list them.")
lists_alone(builds, list_builds, "List and cancel builds, and read their logs; alone: list them.")
lists_alone(audit, list_audit, "Read the audit log; alone: list the latest changes.")
lists_alone(webhooks, list_webhooks, "List, create, try and delete webhooks; alone: list them.")
lists_alone(members, list_members, "List the members of a workspace, add and remove them; alone: list them.")
