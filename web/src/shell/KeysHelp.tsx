import { Kbd, Modal, Table } from "@mantine/core";
import { MOD } from "~/logic/platform";
import { NAVIGATION } from "./navigation";

const KEYS: [string[], string][] = [
  [[MOD, "K"], "Search and commands"],
  [["/"], "Search on this page"],
  [["j"], "Next row"],
  [["k"], "Previous row"],
  [["Enter"], "Open the row"],
  [["n"], "Next issue of a grid"],
  [["p"], "Previous issue of a grid"],
  [["Space"], "Pick up or put down a run in the queue; arrows move it"],
  [[MOD, "Enter"], "Test run in the workbench"],
  [["Esc", "Tab"], "Leave the editor"],
  [["?"], "These keys"],
];

export default function KeysHelp({ onClose }: { onClose: () => void }) {
  const moves = NAVIGATION.flatMap(({ key, label }) =>
    key ? [[["g", key], `Go to ${label}`] as [string[], string]] : [],
  );
  return (
    <Modal opened onClose={onClose} title="Keys">
      <Table>
        <Table.Tbody>
          {[...KEYS, ...moves].map(([keys, meaning]) => (
            <Table.Tr key={meaning}>
              <Table.Td w={120}>
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
