import { Table } from "@mantine/core";

/** The titles of a table. A last column of buttons is named only for those who hear the page. */
export function TableHead({ titles, hasActions = false }: { titles: string[]; hasActions?: boolean }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {titles.map((title) => (
          <Table.Th key={title}>{title}</Table.Th>
        ))}
        {hasActions && (
          <Table.Th>
            <span className="only-sr">Actions</span>
          </Table.Th>
        )}
      </Table.Tr>
    </Table.Thead>
  );
}
