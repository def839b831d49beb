/** Signing out takes with it what a browser keeps of documents, in every tab. */

/** The event of a window, and what tells other tabs. */
export const SIGNED_OUT = "ade-signed-out";
/** What names of entries in the storage start with that hold values of documents. */
export const OF_DOCUMENTS = "ade-pending:";

/** Forget it here, and have the other tabs forget it. */
export function forgetEverywhere(): void {
  forget();
  try {
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
  } catch {
    // Without storage other tabs keep nothing either.
  }
}

/** Forget it when another tab signs out; return what ends that. */
export function followSignOut(): () => void {
  const hear = ({ key }: StorageEvent): void => {
    if (key === SIGNED_OUT) forget();
  };
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}

const WHOSE = "ade-user";

/** Forget what a person whose session ended has left. */
export function forgetOfOthers(userId: string): void {
  try {
    const before = sessionStorage.getItem(WHOSE);
    if (before !== null && before !== userId) forget();
    sessionStorage.setItem(WHOSE, userId);
  } catch {
    // Nothing was kept.
  }
}

function forget(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(OF_DOCUMENTS)) sessionStorage.removeItem(key);
  } catch {
    // Nothing was kept there either.
  }
  window.dispatchEvent(new Event(SIGNED_OUT));
}
