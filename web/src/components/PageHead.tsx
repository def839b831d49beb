import { Group, Text, Title } from "@mantine/core";
import { useEffect, type ReactNode } from "react";
import classes from "./PageHead.module.css";

/** The title of a page, of its tab in the browser, and what can be done here. */
export function PageHead({
  title,
  note,
  children,
  before,
}: {
  title: ReactNode;
  note?: ReactNode;
  children?: ReactNode;
  before?: ReactNode;
}) {
  return (
    <div className={classes.head}>
      <div className={classes.titles}>
        {before}
        <Title order={1} className={classes.title}>
          {title}
        </Title>
        {note && (
          <Text c="dimmed" size="sm" component="div" data-prose>
            {note}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </div>
  );
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    window.document.title = title ? `${title} · ADE` : "ADE";
  }, [title]);
}
