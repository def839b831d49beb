import { Button } from "@mantine/core";
import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Empty, ErrorPanel } from "~/components/feedback";

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

export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorPanel error={error} onAgain={reset} />;
}
