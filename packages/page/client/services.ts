import { toApiError } from "@troupe-internal/client";
import type { InspectedRunPage } from "../src/inspector/inspected-run.ts";
import { Api } from "./api/api.ts";
import { Conversation } from "./chat/conversation.ts";
import { KeptTurns } from "./chat/kept-turns.ts";
import { OpenRuns } from "./chat/open-runs.ts";
import { StepGraphs } from "./chat/use-step-graph.ts";
import { Inbox } from "./inbox/inbox.ts";
import { KeyRing } from "./keys/key-ring.ts";
import { addressOf, readPlace } from "./place.ts";
import { Pins } from "./sessions/pins.ts";
import { SessionList } from "./sessions/session-list.ts";
import { Shares } from "./shares/shares.ts";
import type { Settings } from "./settings.ts";
import { Theme } from "./ui/theme.ts";
import { storedValue } from "./ui/browser-storage.ts";

/** Objects that the views of the page share. */
export type Services = {
  readonly settings: Settings;
  readonly api: Api;
  readonly keys: KeyRing;
  readonly sessions: SessionList;
  readonly pins: Pins;
  readonly shares: Shares;
  readonly inbox: Inbox;
  readonly conversation: Conversation;
  readonly stepGraphs: StepGraphs;
  readonly theme: Theme;
};

/** Creates the objects that the views share. Stored values are separate for each API on the origin. */
export function createServices(settings: Settings): Services {
  const { pathname } = settings.api;
  const keys = new KeyRing(storedValue("sessionStorage", `${pathname}:keys`));
  const api = new Api(settings, () => keys.headers());
  const openRuns = new OpenRuns(storedValue("sessionStorage", `${pathname}:runs`));
  const keptTurns = new KeptTurns(storedValue("sessionStorage", `${pathname}:turns`));
  const memory = { openRuns, keptTurns };
  const sessions = new SessionList(api, storedValue("localStorage", `${pathname}:sessions`), memory);
  const conversation = new Conversation(api, memory, {
    begun: (sessionId, title) => sessions.begin(sessionId, title),
    moved: (sessionId) => {
      if (readPlace(location.hash).view === "chat") history.replaceState(undefined, "", addressOf(sessionId));
    },
    over: () => void sessions.load(),
  });
  const inspect = settings.inspectorStyle === undefined ? undefined : async () => await readWaiting(settings);
  const inbox = new Inbox({ api, openRuns, sessions, inspect });
  const pins = new Pins(storedValue("localStorage", `${pathname}:pins`));
  const theme = new Theme(storedValue("localStorage", `${pathname}:theme`), document.documentElement.style);
  const stepGraphs = new StepGraphs(settings);
  const shares = new Shares(settings);
  return { settings, api, keys, sessions, pins, shares, inbox, conversation, stepGraphs, theme };
}

/** Reads the waiting runs that the inspector lists for the caller. */
async function readWaiting({ base }: Settings): Promise<InspectedRunPage> {
  const response = await fetch(new URL("inspector/runs?status=waiting&limit=50", base));
  if (!response.ok) throw await toApiError(response);
  return (await response.json()) as InspectedRunPage;
}
