import { ActionIcon, Loader, Tooltip, useMantineColorScheme, useComputedColorScheme } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Moon, Search, Sun, Upload, Users } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { startLive } from "~/api/live";
import { sessionQuery, workspacesQuery } from "~/api/queries";
import { setCsrfToken, Problem } from "~/api/client";
import { errorOf, Empty, ErrorPanel } from "~/components/feedback";
import { useInSight } from "~/components/useInSight";
import { withMod } from "~/logic/platform";
import { AccountMenu } from "./AccountMenu";
import { LoginPage } from "./LoginPage";
import { NAVIGATION } from "./navigation";
import { ReconnectBar } from "./ReconnectBar";
import classes from "./Shell.module.css";
import { UploadPlace, UploadProvider, useUploads } from "./upload/UploadProvider";
import { useKeys } from "./useKeys";
import { WorkspaceContext, type Here } from "./workspace";
import { WorkspaceMenu } from "./WorkspaceMenu";
import { load } from "./version";

const Palette = lazy(() => load(() => import("./Palette")));
const KeysHelp = lazy(() => load(() => import("./KeysHelp")));

/** The frame of every page: the user, the navigation, and whether the page is live. */
export function Shell() {
  const session = useQuery(sessionQuery);
  if (session.error instanceof Problem && session.error.status === 401)
    return <LoginPage isLost={session.data !== undefined} />;
  if (errorOf(session))
    return (
      <Centered>
        <ErrorPanel error={session.error} onAgain={() => void session.refetch()} />
      </Centered>
    );
  if (!session.data)
    return (
      <Centered>
        <Loader role="progressbar" aria-label="Loading" />
      </Centered>
    );
  setCsrfToken(session.data.csrf_token);
  return <InWorkspace />;
}

function InWorkspace() {
  const client = useQueryClient();
  useEffect(() => startLive(client), [client]);
  const workspaces = useQuery(workspacesQuery);
  const [chosen, choose] = useLocalStorage({ key: "ade-workspace", defaultValue: "" });
  const here = useMemo<Here | null>(() => {
    const listed = workspaces.data?.items ?? [];
    const workspace = listed.find((one) => one.id === chosen) ?? listed[0];
    return workspace ? { workspace, workspaces: listed, choose } : null;
  }, [workspaces.data, chosen, choose]);
  if (errorOf(workspaces))
    return (
      <Centered>
        <ErrorPanel error={workspaces.error} onAgain={() => void workspaces.refetch()} />
      </Centered>
    );
  if (!workspaces.data)
    return (
      <Centered>
        <Loader role="progressbar" aria-label="Loading" />
      </Centered>
    );
  if (!here) return <NoWorkspace />;
  return (
    <WorkspaceContext value={here}>
      <UploadProvider>
        <Frame />
      </UploadProvider>
    </WorkspaceContext>
  );
}

function Frame() {
  const [opened, setOpened] = useState<"palette" | "keys" | null>(null);
  useKeys({ openPalette: () => setOpened("palette"), openHelp: () => setOpened("keys") });
  return (
    <div className={classes.frame}>
      <a className={classes.skip} href="#main">
        Skip to the page
      </a>
      <Sidebar onPalette={() => setOpened("palette")} />
      <div className={classes.body}>
        <ReconnectBar />
        <UploadPlace />
        <main id="main" className={classes.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Suspense>
        {opened === "palette" && <Palette onClose={() => setOpened(null)} />}
        {opened === "keys" && <KeysHelp onClose={() => setOpened(null)} />}
      </Suspense>
    </div>
  );
}

function Sidebar({ onPalette }: { onPalette: () => void }) {
  const uploads = useUploads();
  return (
    <header className={classes.sidebar}>
      <div className={classes.brandRow}>
        <Link to="/" className={classes.brand} aria-label="ADE, home">
          <img src="/icon.svg" width={26} height={26} alt="" />
          <span>ADE</span>
        </Link>
        <div className={classes.tools}>
          <SchemeButton />
        </div>
      </div>
      <button type="button" className={classes.search} onClick={onPalette} data-keys={withMod("K")}>
        <Search size={16} aria-hidden /> <span>Search</span>
      </button>
      <WorkspaceMenu />
      <button
        type="button"
        className={classes.upload}
        disabled={uploads.forbidden !== null}
        title={uploads.forbidden ?? undefined}
        onClick={uploads.choose}
      >
        <Upload size={16} aria-hidden /> <span>Upload</span>
      </button>
      <Pages />
      <AccountMenu />
    </header>
  );
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "dark" ? "light" : "dark";
  return (
    <Tooltip label={`Switch to ${other}`}>
      <ActionIcon variant="subtle" color="gray" onClick={() => setColorScheme(other)} aria-label={`Switch to ${other}`}>
        {scheme === "dark" ? <Sun size={18} /> : <Moon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function Centered({ children }: { children: React.ReactNode }) {
  return <div className={classes.centered}>{children}</div>;
}

function NoWorkspace() {
  return (
    <Centered>
      <Empty
        isPage
        icon={<Users aria-hidden />}
        title="You are signed in, but in no workspace yet"
        action={<AccountMenu />}
      >
        Ask an administrator to add you to one. Then load this page again.
      </Empty>
    </Centered>
  );
}

function Pages() {
  const { pathname } = useLocation();
  // On a narrow screen the pages are in a row that scrolls.
  const pages = useInSight<HTMLElement>(pathname, "[data-status=active]");
  return (
    <nav className={`scrolls ${classes.nav}`} aria-label="Pages" ref={pages}>
      {NAVIGATION.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className={classes.item} activeOptions={{ exact: to === "/" }}>
          <Icon size={18} aria-hidden />
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  );
}
