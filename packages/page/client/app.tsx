import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import type { RunnableInfo } from "@troupe-internal/client";
import { Bar } from "./views/bar.tsx";
import { ChatView } from "./views/chat-view.tsx";
import { KeysDialog } from "./keys/keys-dialog.tsx";
import { shownOf } from "./chat/find-runnables.ts";
import { readPlace } from "./place.ts";
import type { Place } from "./place.ts";
import type { InspectorProps } from "./inspector/inspector-view.tsx";
import type { CommandActs } from "./palette/commands.ts";
import type { PaletteProps } from "./palette/palette.tsx";
import type { SchedulesProps } from "./schedules/schedules-view.tsx";
import type { Services } from "./services.ts";
import { Sidebar } from "./views/sidebar.tsx";
import type { ShareDialogProps } from "./shares/share-dialog.tsx";
import type { Settings } from "./settings.ts";
import { strings } from "./strings/strings.ts";
import { Icon } from "./ui/icon.tsx";
import { loadStyle } from "./ui/load-style.ts";
import { useStore } from "./ui/store.ts";

/** The frame of the page with its views. The other views are imported when they are opened. */
export function App({ services }: { services: Services }) {
  const { settings } = services;
  const place = usePlace();
  const { runnables, failure } = useRunnables(services);
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  const [areKeysOpen, setKeysOpen] = useState(false);
  const { isPaletteOpen, setPaletteOpen } = usePalette();
  const { isOpen: isSharing, session: shared } = useStore(services.shares);
  const [wanted, setWanted] = useState<{ readonly runnable: RunnableInfo }>();
  const acts = actsOf(services, { ask: setWanted, openKeys: () => setKeysOpen(true) });
  useSession(services, place, runnables);
  useWaiting(services);
  return (
    <div class="app">
      <Bar
        services={services}
        view={place.view}
        onChats={() => setSidebarOpen(true)}
        onKeys={() => setKeysOpen(true)}
        onPalette={() => setPaletteOpen(true)}
      />
      {failure !== undefined && (
        <p class="failure banner" role="alert">
          <Icon name="warning" size={18} />
          {failure}
        </p>
      )}
      {/*
       * The chat stays mounted, so that it keeps its draft, its files and its scroll position while the inspector is
       * shown.
       */}
      <div class="view" hidden={place.view !== "chat"}>
        <Sidebar services={services} isOpen={isSidebarOpen} onClose={() => setSidebarOpen(false)} />
        <ChatView {...{ services, runnables, wanted }} isShown={place.view === "chat"} />
      </div>
      {place.view === "inspector" && <Inspector settings={settings} keys={services.keys} />}
      {place.view === "overview" && <Overview settings={settings} />}
      {place.view === "inbox" && <WaitingRuns {...services} />}
      {place.view === "schedules" && <Schedules services={services} runnables={runnables} />}
      {isPaletteOpen && (
        <Commands {...{ services, runnables: runnables ?? [] }} acts={acts} onClose={() => setPaletteOpen(false)} />
      )}
      {isSharing && settings.shareMs !== undefined && (
        <ShareLinks shares={services.shares} session={shared} maxMs={settings.shareMs} />
      )}
      <KeysDialog keys={services.keys} isOpen={areKeysOpen} onClose={() => setKeysOpen(false)} />
    </div>
  );
}

/** Opens the palette by Ctrl+K or ⌘K, wherever the focus is. */
function usePalette() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      // Browsers would go to their own field for searches.
      event.preventDefault();
      // A dialog that is open keeps the keys: no second one opens above it.
      if (document.querySelector("dialog[open]") === null) setPaletteOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return { isPaletteOpen, setPaletteOpen };
}

/** Returns the acts of the page's commands: those of a chat, and those that open a part of the frame. */
function actsOf(
  services: Services,
  { ask, openKeys }: { ask: (wanted: { runnable: RunnableInfo }) => void; openKeys: () => void },
): CommandActs {
  const newChat = () => beginChat(services);
  return {
    newChat,
    ask: (runnable) => {
      newChat();
      ask({ runnable });
    },
    openKeys,
  };
}

/** Shows a chat without a session, with the focus in its field. */
function beginChat({ conversation }: Services): void {
  conversation.clear();
  if (location.hash !== "#/" && location.hash !== "") location.hash = "#/";
  focusQuestion();
}

/** Moves the focus to the field of the chat. After another view, the chat is hidden until the change of the address is drawn. */
function focusQuestion(frame = 0): void {
  const field = document.querySelector<HTMLTextAreaElement>("#question");
  field?.focus();
  // Without a caret, Chromium drops what is typed: the caret goes with the dialog that has had it.
  field?.setSelectionRange(field.value.length, field.value.length);
  // A busy browser draws the change late.
  const isLate = document.activeElement !== field && frame < 100;
  if (isLate || frame < 2) requestAnimationFrame(() => focusQuestion(frame + 1));
}

function usePlace(): Place {
  const [place, setPlace] = useState(readPlace(location.hash));
  useEffect(() => {
    const follow = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

function useRunnables({ api, conversation, settings }: Services) {
  const [runnables, setRunnables] = useState<readonly RunnableInfo[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const found = await api.runnables();
        conversation.setRunnables(found);
        setRunnables(shownOf(found, settings.shown));
      } catch (error) {
        setFailure((error as Error).message);
      }
    };
    void load();
  }, []);
  return { runnables, failure };
}

/** Milliseconds between two looks for runs that wait for an answer. */
const lookMs = 15_000;

/** Loads the chats, and looks for waiting runs: at once, from time to time, and when an answer in the chat waits or ends. */
function useWaiting({ conversation, inbox, sessions }: Services): void {
  const isWaiting = useStore(conversation, ({ turns }) => turns.some(({ status }) => status === "waiting"));
  useEffect(() => {
    // The list of sessions shows if the service lists anything for the caller.
    void sessions.load().then(async () => await inbox.load());
    const timer = setInterval(() => {
      if (!document.hidden) void inbox.load();
    }, lookMs);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (inbox.state.isLoaded) void inbox.load();
  }, [isWaiting]);
}

/** Opens the session in the page's address, once the list of runnables is loaded. */
function useSession({ conversation }: Services, place: Place, runnables: unknown): void {
  const sessionId = place.view === "chat" ? place.sessionId : undefined;
  const isKnown = runnables !== undefined;
  useEffect(() => {
    if (place.view !== "chat" || !isKnown || conversation.state.sessionId === sessionId) return;
    if (sessionId === undefined) conversation.clear();
    else void conversation.open(sessionId);
  }, [place, isKnown]);
}

type LazyProps<Props> = {
  /** Imports the component, with what it needs. */
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  /** The sentence in place of a view that could not be loaded. */
  readonly missing: string;
  /** True for a dialog, above the view that is shown. */
  readonly isDialog?: boolean;
};

/** A view that is imported when it is opened. */
function Lazy<Props extends object>({ load, props, missing, isDialog = false }: LazyProps<Props>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props>>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    load().then(
      (component) => setLoaded(() => component),
      () => setMissing(true),
    );
  }, []);
  if (Loaded !== undefined) return <Loaded {...props} />;
  if (!isDialog) return <main class="activity">{isMissing ? missing : strings.common.loading}</main>;
  return isMissing ? (
    <p class="failure banner" role="alert">
      {missing}
    </p>
  ) : null;
}

function Schedules(props: SchedulesProps) {
  const load = async () => (await import("./schedules/schedules-view.tsx")).SchedulesView;
  return <Lazy load={load} props={props} missing={strings.app.noSchedules} />;
}

function WaitingRuns({ inbox, settings }: Services) {
  const load = async () => (await import("./inbox/inbox-view.tsx")).InboxView;
  const props = { inbox, hasInspector: settings.inspectorStyle !== undefined };
  return <Lazy load={load} props={props} missing={strings.inbox.missing} />;
}

function Commands(props: PaletteProps) {
  const load = async () => (await import("./palette/palette.tsx")).Palette;
  return <Lazy load={load} props={props} missing={strings.palette.missing} isDialog />;
}

function ShareLinks(props: ShareDialogProps) {
  const load = async () => (await import("./shares/share-dialog.tsx")).ShareDialog;
  return <Lazy load={load} props={props} missing={strings.shares.missing} isDialog />;
}

function Overview({ settings }: { settings: Settings }) {
  const load = async () => {
    const style = settings.inspectorStyle && loadStyle(settings.inspectorStyle);
    const [{ OverviewView }] = await Promise.all([import("./inspector/overview-view.tsx"), style]);
    return OverviewView;
  };
  return <Lazy load={load} props={{ settings }} missing={strings.overview.missing} />;
}

function Inspector(props: InspectorProps) {
  const load = async () => {
    const style = props.settings.inspectorStyle && loadStyle(props.settings.inspectorStyle);
    const [{ InspectorView }] = await Promise.all([import("./inspector/inspector-view.tsx"), style]);
    return InspectorView;
  };
  return <Lazy load={load} props={props} missing={strings.app.noInspector} />;
}
