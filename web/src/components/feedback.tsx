import { Button, Code, CopyButton, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { CircleAlert, Compass, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { Problem } from "~/api/client";
import classes from "./feedback.module.css";

/** The error to show in place of an answer: while the server is away for a moment, what it answered before stays. */
export function errorOf({ data, error }: { data: unknown; error: Error | null }): Error | null {
  return data === undefined || (error instanceof Problem && !error.isAway) ? error : null;
}

/** What went wrong, what to do, and the id to look for in the log. */
export function ErrorPanel({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const problem = error instanceof Problem ? error : null;
  return (
    <div className={classes.error} role="alert">
      <CircleAlert size={20} aria-hidden />
      <div>
        <Text fw={600}>{problem?.title ?? "Something went wrong on this page"}</Text>
        <Text size="sm">{problem ? problem.detail : String(error)}</Text>
        <Group gap="sm" mt={6}>
          {onAgain && (
            <Button size="compact-sm" variant="default" onClick={onAgain}>
              Load again
            </Button>
          )}
          {problem?.traceId && <TraceId id={problem.traceId} />}
        </Group>
      </div>
    </div>
  );
}

function TraceId({ id }: { id: string }) {
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <button type="button" className={classes.trace} onClick={copy}>
          trace <Code>{id}</Code> {copied ? "copied" : <Copy size={12} aria-label="Copy the trace id" />}
        </button>
      )}
    </CopyButton>
  );
}

/** Say that an action failed, without taking the page away. */
export function showProblem(error: unknown): void {
  const problem = error instanceof Problem ? error : null;
  notifications.show({
    color: "red",
    autoClose: 12_000,
    title: problem?.title ?? "Something went wrong",
    message: (
      <>
        {problem?.detail ?? String(error)}
        {problem?.traceId && <span className={classes.faint}> trace {problem.traceId}</span>}
      </>
    ),
  });
}

/** Say that something is not allowed, and why; nothing went wrong. */
export function showRefusal(title: string, why: string): void {
  notifications.show({ title, message: why, color: "yellow", autoClose: 8000 });
}

export function showDone(message: string): void {
  notifications.show({ message, autoClose: 4000 });
}

/** Replaces a whole page that could not be loaded. A missing object is not an error of the page. */
export function PageProblem({ error, back, onAgain }: { error: unknown; back: ReactNode; onAgain: () => void }) {
  if (error instanceof Problem && error.status === 410)
    return (
      <Empty isPage icon={<Compass aria-hidden />} title="It was removed" action={back}>
        {error.detail}
      </Empty>
    );
  if (!(error instanceof Problem) || error.status !== 404) return <ErrorPanel error={error} onAgain={onAgain} />;
  return (
    <Empty isPage icon={<Compass aria-hidden />} title="It is not here" action={back}>
      {error.detail} It may have been deleted, or belong to a workspace that is not yours.
    </Empty>
  );
}

/** Nothing here yet: why, and what to do about it. */
export function Empty({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  /** The page has nothing else, so this is its heading. */
  isPage?: boolean;
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={classes.empty}>
      <div className={classes.emptyIcon}>{icon}</div>
      <Title order={isPage ? 1 : 2} size="h4">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw={460}>
          {children}
        </Text>
      )}
      {action}
    </div>
  );
}

/** Lines in the place of rows that are on their way. */
export function RowsSkeleton({ rows = 6, height = 20 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="sm" p="md" role="progressbar" aria-busy="true" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" width={`${92 - ((index * 17) % 30)}%`} />
      ))}
    </Stack>
  );
}

/** The same in a card, in place of a list. */
export function CardSkeleton({ rows }: { rows?: number }) {
  return (
    <div className="card">
      <RowsSkeleton {...(rows && { rows })} />
    </div>
  );
}
