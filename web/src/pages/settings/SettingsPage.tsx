import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { sessionQuery } from "~/api/queries";
import { PageHead, usePageTitle } from "~/components/PageHead";
import { AuditTab } from "./AuditTab";
import { KeysTab } from "./KeysTab";
import { LimitsTab } from "./LimitsTab";
import { MembersTab } from "./MembersTab";

const TABS = ["members", "keys", "limits", "audit"];
const route = getRouteApi("/settings");

export default function SettingsPage() {
  usePageTitle("Settings");
  const { tab } = route.useSearch();
  const navigate = useNavigate({ from: "/settings" });
  const session = useQuery(sessionQuery).data;
  const isTeam = session?.mode === "team";
  return (
    <>
      <PageHead
        title="Settings"
        note={isTeam ? `Signed in as ${session.name}` : "Local mode: one user, no sign-in, this machine only"}
      />
      <Tabs
        value={TABS.find((one) => one === tab) ?? "members"}
        onChange={(chosen) => chosen && void navigate({ search: { tab: chosen }, replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="members">Members</Tabs.Tab>
          <Tabs.Tab value="keys">API keys</Tabs.Tab>
          <Tabs.Tab value="limits">Server settings</Tabs.Tab>
          <Tabs.Tab value="audit">Audit log</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MembersTab isTeam={isTeam} />
        </Tabs.Panel>
        <Tabs.Panel value="keys">
          <KeysTab isTeam={isTeam} />
        </Tabs.Panel>
        <Tabs.Panel value="limits">
          <LimitsTab />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <AuditTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
