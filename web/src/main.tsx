import "./mantine.css";
import "@mantine/notifications/styles.css";
import "./styles.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./api/cache";
import { router } from "./router";
import { PageNotLoaded } from "./shell/version";
import { cssVariables, theme } from "./theme";

// How wide the room is that is kept for a scrollbar: nothing tells it but what is left of the window.
const room = window.innerWidth - document.documentElement.getBoundingClientRect().width;
document.documentElement.style.setProperty("--gutter", `${room}px`);

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
// A part that could not be loaded is no fault of the page, and the page says so in its place.
const onCaughtError = (error: unknown): void => {
  if (!(error instanceof PageNotLoaded)) reportError(error);
};
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        {/* In the middle, where no list has its menus; and below menus that are open. */}
        <Notifications position="bottom-center" limit={4} zIndex={250} />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
