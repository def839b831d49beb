import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { NotFound, PageError } from "./shell/fallbacks";
import { Shell } from "./shell/Shell";
import { isReloadDue, load } from "./shell/version";

const page: typeof lazyRouteComponent = (importer) => lazyRouteComponent(() => load(importer));
const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError });

type Search = Record<string, unknown>;
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

/** Return a validator that keeps these words of the address and drops the rest. */
function words<Name extends string>(...names: Name[]): (search: Search) => Partial<Record<Name, string>> {
  return (search) =>
    Object.fromEntries(names.flatMap((name) => (text(search[name]) ? [[name, text(search[name])]] : []))) as Partial<
      Record<Name, string>
    >;
}

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  component: page(() => import("./pages/home/HomePage")),
});
const documents = createRoute({
  getParentRoute: () => rootRoute,
  path: "/documents",
  validateSearch: words("name", "tag"),
  component: page(() => import("./pages/documents/DocumentsPage")),
});
const document = createRoute({
  getParentRoute: () => rootRoute,
  path: "/documents/$documentId",
  validateSearch: words("sheet", "cell", "run"),
  component: page(() => import("./pages/documents/DocumentPage")),
});
const runs = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: words("status", "verdict", "document", "configuration", "only", "issues"),
  component: page(() => import("./pages/runs/RunsPage")),
});
const run = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch: words(
    "tab",
    "line",
    "level",
    "rule",
    "field",
    "severity",
    "table",
    "column",
    "changed",
    "by",
    "rows",
    "sort",
    "filter",
    "only",
  ),
  component: page(() => import("./pages/run/RunPage")),
});
const compare = createRoute({
  getParentRoute: () => rootRoute,
  path: "/compare",
  validateSearch: words("before", "after", "file"),
  component: page(() => import("./pages/compare/ComparePage")),
});
const queue = createRoute({
  getParentRoute: () => rootRoute,
  path: "/queue",
  validateSearch: words("tab", "window"),
  component: page(() => import("./pages/queue/QueuePage")),
});
const builds = createRoute({
  getParentRoute: () => rootRoute,
  path: "/builds",
  component: page(() => import("./pages/builds/BuildsPage")),
});
const build = createRoute({
  getParentRoute: () => rootRoute,
  path: "/builds/$buildId",
  component: page(() => import("./pages/builds/BuildPage")),
});
const configurations = createRoute({
  getParentRoute: () => rootRoute,
  path: "/configurations",
  component: page(() => import("./pages/configurations/ConfigurationsPage")),
});
const newConfiguration = createRoute({
  getParentRoute: () => rootRoute,
  path: "/configurations/new",
  validateSearch: words("document"),
  component: page(() => import("./pages/configurations/SpreadsheetPage")),
});
const configuration = createRoute({
  getParentRoute: () => rootRoute,
  path: "/configurations/$configurationId",
  validateSearch: words("before", "after"),
  component: page(() => import("./pages/configurations/ConfigurationPage")),
});
const proposals = createRoute({
  getParentRoute: () => rootRoute,
  path: "/proposals",
  validateSearch: words("state", "configuration"),
  component: page(() => import("./pages/proposals/ProposalsPage")),
});
const workbench = createRoute({
  getParentRoute: () => rootRoute,
  path: "/configurations/$configurationId/edit",
  validateSearch: words("file", "find", "line", "document", "run", "before"),
  component: page(() => import("./pages/workbench/WorkbenchPage")),
});
const workers = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workers",
  component: page(() => import("./pages/workers/WorkersPage")),
});
const settings = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  validateSearch: words("tab"),
  component: page(() => import("./pages/settings/SettingsPage")),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    documents,
    document,
    runs,
    run,
    compare,
    queue,
    builds,
    build,
    configurations,
    newConfiguration,
    configuration,
    proposals,
    workbench,
    workers,
    settings,
  ]),
  // Errors replace only the page: the frame around it stays.
  defaultErrorComponent: PageError,
  defaultPreload: "intent",
  scrollRestoration: true,
  // Words of the address stay as people write them: ?cell=C6, not ?cell=%22C6%22.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const written = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return written ? `?${written}` : "";
  },
});

// A visitor who opens another page while a new version is there gets the new version.
router.subscribe("onBeforeNavigate", ({ pathChanged, toLocation }) => {
  if (pathChanged && isReloadDue()) window.location.assign(toLocation.href);
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
