import { Menu } from "@mantine/core";
import { Check, ChevronsUpDown } from "lucide-react";
import classes from "./Shell.module.css";
import { useWorkspace } from "./workspace";

/** The workspace, and the others there are. With only one there is nothing to choose. */
export function WorkspaceMenu() {
  const { workspace, workspaces, choose } = useWorkspace();
  if (workspaces.length < 2) return null;
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <button type="button" className={classes.workspace}>
          <span>{workspace.name}</span> <ChevronsUpDown size={14} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map((one) => (
          <Menu.Item
            key={one.id}
            onClick={() => choose(one.id)}
            rightSection={one.id === workspace.id ? <Check size={14} aria-label="This one" /> : null}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
