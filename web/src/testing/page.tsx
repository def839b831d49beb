/** Renders a real page at an address, in a workspace, with the real client of the API before a server in memory. */
import "./browser";
import { MantineProvider } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, configure, render } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, vi } from "vitest";
import type { Role } from "~/api/types";
import { UploadProvider } from "~/shell/upload/UploadProvider";
import { WorkspaceContext } from "~/shell/workspace";
import { theme } from "~/theme";
import { workspace } from "./things";

// Whether something is hidden is asked of the style of all its ancestors, which jsdom takes long to tell; and a machine
// that runs all the tests is slow: nothing here is about time.
configure({ defaultHidden: true, asyncUtilTimeout: 20_000 });

afterEach(() => {
  cleanup();
  notifications.clean();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

export interface Opened {
  user: UserEvent;
  /** Where the page is now. */
  address: () => string;
}

interface Options {
  /** The path of the route, such as /runs/$runId; that of the address without. */
  path?: string;
  role?: Role;
}

export async function open(Page: () => ReactNode, address: string, options: Options = {}): Promise<Opened> {
  const history = createMemoryHistory({ initialEntries: [address] });
  const here = { workspace: workspace({ role: options.role ?? "admin" }), workspaces: [], choose: () => undefined };
  const root = createRootRoute({
    component: () => (
      <WorkspaceContext value={here}>
        <UploadProvider>
          <Outlet />
        </UploadProvider>
      </WorkspaceContext>
    ),
    notFoundComponent: () => <p>another page</p>,
  });
  const path = options.path ?? address.split("?")[0] ?? "/";
  const route = createRoute({ getParentRoute: () => root, path, component: Page });
  const router = createRouter({
    routeTree: root.addChildren([route]),
    history,
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
      const written = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
      return written ? `?${written}` : "";
    },
  });
  await router.load();
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 5000 } } });
  render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={client}>
        <Notifications />
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), address: () => history.location.href };
}
