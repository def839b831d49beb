import { Table, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { settingsQuery } from "~/api/queries";
import { ErrorPanel, RowsSkeleton } from "~/components/feedback";

/** What the operator decided, and what it means. Settings are variables of the server; the page only shows them. */
export function LimitsTab() {
  const settings = useQuery(settingsQuery);
  const [words, setWords] = useState("");
  if (settings.error) return <ErrorPanel error={settings.error} />;
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
        mb="sm"
        maw={360}
      />
      <div className="card" style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label="Limits">
        <Table horizontalSpacing="md" verticalSpacing="xs" aria-label="Settings">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Setting</Table.Th>
              <Table.Th>Value</Table.Th>
              <Table.Th>Meaning</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((one) => (
              <Table.Tr key={one.name}>
                <Table.Td className="mono">{one.name}</Table.Td>
                <Table.Td className="mono" fw={one.value === one.default ? undefined : 700}>
                  {one.value === null || one.value === "" ? "–" : String(one.value)}
                </Table.Td>
                <Table.Td>{one.description}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  );
}
