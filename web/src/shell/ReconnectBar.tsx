import { useQueryClient } from "@tanstack/react-query";
import { PlugZap, RefreshCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { useIsDown, useIsLive } from "~/api/live";
import { isRead } from "~/api/stale";
import classes from "./Shell.module.css";
import { checkVersion, useIsReloadDue } from "./version";

/** Says that the page is no longer live, once that has lasted, and that there is a new version of it. */
export function ReconnectBar() {
  const isDown = useIsDown();
  const isLive = useIsLive();
  const isDue = useIsReloadDue();
  const client = useQueryClient();
  const wasLive = useRef(false);
  // The server that comes back may be another version.
  useEffect(() => {
    if (isLive && wasLive.current) void checkVersion();
    wasLive.current ||= isLive;
  }, [isLive]);
  return (
    <div role="status">
      {isDown && (
        <div className={classes.reconnect}>
          <PlugZap size={16} aria-hidden />
          <span>
            The connection is lost. The page tries to connect again, and refreshes every few seconds meanwhile.
          </span>
          <button type="button" onClick={() => void client.invalidateQueries({ predicate: isRead })}>
            Ask now
          </button>
        </div>
      )}
      {isDue && !isDown && (
        <div className={classes.reconnect}>
          <RefreshCw size={16} aria-hidden />
          <span>There is a new version of this page.</span>
          <button type="button" onClick={() => window.location.reload()}>
            Load it
          </button>
        </div>
      )}
    </div>
  );
}
