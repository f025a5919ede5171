import { Api } from "./api/api.ts";
import { Conversation } from "./chat/conversation.ts";
import { OpenRuns } from "./chat/open-runs.ts";
import { KeyRing } from "./keys/key-ring.ts";
import { SessionList } from "./sessions/session-list.ts";
import type { Settings } from "./settings.ts";
import { shelf } from "./ui/browser-storage.ts";

/** What the views of the page share. */
export type Services = {
  readonly settings: Settings;
  readonly api: Api;
  readonly keys: KeyRing;
  readonly sessions: SessionList;
  readonly conversation: Conversation;
};

/** Creates what the views share. What the browser keeps is apart for each API of its origin. */
export function createServices(settings: Settings): Services {
  const place = settings.api.pathname;
  const keys = new KeyRing(shelf("sessionStorage", `${place}:keys`));
  const api = new Api(settings, () => keys.headers());
  const openRuns = new OpenRuns(shelf("sessionStorage", `${place}:runs`));
  const sessions = new SessionList(api, shelf("localStorage", `${place}:sessions`), () => openRuns.all());
  const conversation = new Conversation(api, openRuns, {
    begun: (sessionId, title) => {
      history.replaceState(undefined, "", `#/s/${encodeURIComponent(sessionId)}`);
      sessions.begin(sessionId, title);
    },
    over: () => void sessions.load(),
  });
  return { settings, api, keys, sessions, conversation };
}
