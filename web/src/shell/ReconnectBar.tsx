import { useQueryClient } from "@tanstack/react-query";
import { PlugZap } from "lucide-react";
import { useIsDown } from "~/api/live";
import classes from "./Shell.module.css";

/** Says that the page is not live any more, once that has lasted. */
export function ReconnectBar() {
  const isDown = useIsDown();
  const client = useQueryClient();
  return (
    <div role="status">
      {isDown && (
        <div className={classes.reconnect}>
          <PlugZap size={16} aria-hidden />
          <span>The connection is lost. Trying again; until then this page asks every few seconds.</span>
          <button type="button" onClick={() => void client.invalidateQueries()}>
            Ask now
          </button>
        </div>
      )}
    </div>
  );
}
