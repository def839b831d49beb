import { Table, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Lock, Search } from "lucide-react";
import { useState } from "react";
import { settingsQuery } from "~/api/operationQueries";
import { sessionQuery } from "~/api/queries";
import type { Setting } from "~/api/types";
import { errorOf, Empty, ErrorPanel, RowsSkeleton } from "~/components/feedback";
import { grouped } from "~/logic/settings";
import classes from "./settings.module.css";

/** What the operator decided, and what it means. Settings are variables of the server; the page only shows them. */
export function LimitsTab() {
  const session = useQuery(sessionQuery).data;
  const settings = useQuery({ ...settingsQuery, enabled: session?.is_admin ?? false });
  const [words, setWords] = useState("");
  if (session && !session.is_admin) return <NotYours />;
  if (errorOf(settings)) return <ErrorPanel error={errorOf(settings)} onAgain={() => void settings.refetch()} />;
  if (!settings.data) return <RowsSkeleton rows={10} />;
  const shown = settings.data.settings.filter((one) =>
    `${one.name} ${one.description}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        ADE {settings.data.version}, engine {settings.data.engine_version}, {settings.data.database}. Settings are
        environment variables; change them where the server starts.
      </Text>
      <TextInput
        data-search
        aria-label="Find a setting"
        placeholder="Find a setting"
        leftSection={<Search size={16} aria-hidden />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        mb="md"
        maw={360}
      />
      {shown.length === 0 && <NoneMatches />}
      {grouped(shown).map(([title, settings]) => (
        <section key={title} aria-label={title}>
          <Title order={2} size="h5" mb={6}>
            {title}
          </Title>
          <Group title={title} settings={settings} />
        </section>
      ))}
    </>
  );
}

function Group({ title, settings }: { title: string; settings: Setting[] }) {
  return (
    <div className={`card ${classes.group}`}>
      <Table horizontalSpacing="md" verticalSpacing="xs" aria-label={title} className={classes.settings}>
        <Table.Thead className="only-sr">
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {settings.map((one) => {
            const isOwn = one.value !== one.default;
            return (
              <Table.Tr key={one.name}>
                <Table.Td>
                  <span className={`mono ${classes.setting}`}>{one.name}</span>
                  <Text size="sm" c="dimmed">
                    {one.description}
                  </Text>
                </Table.Td>
                <Table.Td className={`mono ${classes.value}`} data-own={isOwn || undefined}>
                  {one.value === null || one.value === "" ? "–" : String(one.value)}
                  {isOwn && <span className={classes.own}>set</span>}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function NotYours() {
  return (
    <div className="card">
      <Empty icon={<Lock aria-hidden />} title="Only administrators of the deployment see server settings">
        Ask one of them if you need a higher limit.
      </Empty>
    </div>
  );
}

function NoneMatches() {
  return (
    <div className="card">
      <Empty icon={<Search aria-hidden />} title="No setting matches">
        Try a word of its name or of its description.
      </Empty>
    </div>
  );
}
