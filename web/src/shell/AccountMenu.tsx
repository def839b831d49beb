import { Menu } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { CircleUser, KeyRound, LogOut } from "lucide-react";
import { useEffect } from "react";
import { api } from "~/api/client";
import { sessionQuery } from "~/api/queries";
import { showProblem } from "~/components/feedback";
import classes from "./Shell.module.css";
import { followSignOut, forgetEverywhere, forgetOfOthers } from "./signedOut";

/** The signed-in user, and signing out. Local mode has no users. */
export function AccountMenu() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const session = useQuery(sessionQuery).data;
  const userId = session?.user_id;
  useEffect(followSignOut, []);
  useEffect(() => {
    if (userId) forgetOfOthers(userId);
  }, [userId]);
  const leave = useMutation({
    mutationFn: () => api.delete("/session"),
    onSuccess: () => {
      forgetEverywhere();
      return client.resetQueries();
    },
    onError: showProblem,
  });
  if (session?.mode !== "team") return null;
  return (
    <Menu width={220} position="top-start">
      <Menu.Target>
        <button type="button" className={classes.account} aria-label={`Account: ${session.name}`}>
          <CircleUser size={18} aria-hidden /> <span>{session.name}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session.email}</Menu.Label>
        <Menu.Item
          leftSection={<KeyRound size={15} />}
          onClick={() => void navigate({ to: "/settings", search: { tab: "keys" } })}
        >
          API keys
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} />} onClick={() => leave.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
