import { Button } from "@mantine/core";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { useEffect } from "react";
import { Problem } from "~/api/client";
import { Empty, ErrorPanel } from "~/components/feedback";
import { PageNotLoaded, reloadOnce, useIsReloadDue } from "./version";

export function NotFound() {
  return (
    <Empty
      isPage
      icon={<Compass aria-hidden />}
      title="There is no such page"
      action={
        <Button component={Link} to="/" variant="default">
          Go home
        </Button>
      }
    >
      The address may be incomplete.
    </Empty>
  );
}

/** What went wrong on one page, in its place. A page that could not be loaded is, as soon as the server answers. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const isMissing = error instanceof PageNotLoaded;
  const isDue = useIsReloadDue();
  useEffect(() => {
    if (isMissing && isDue) reloadOnce();
  }, [isMissing, isDue]);
  if (!isMissing) return <ErrorPanel error={error} onAgain={reset} />;
  return (
    <ErrorPanel
      error={new Problem(0, "not_loaded", "This page could not be loaded", error.message, null, null)}
      {...(isDue && { onAgain: () => window.location.reload() })}
    />
  );
}
