import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import type { RunnableInfo } from "@troupe-internal/client";
import { ChatView } from "./views/chat-view.tsx";
import { KeysDialog } from "./keys/keys-dialog.tsx";
import { addressOf, readPlace } from "./place.ts";
import type { Place } from "./place.ts";
import type { SchedulesProps } from "./schedules/schedules-view.tsx";
import type { Services } from "./services.ts";
import { Sidebar } from "./views/sidebar.tsx";
import type { Settings } from "./settings.ts";
import { Icon, Mark } from "./ui/icon.tsx";
import { loadStyle } from "./ui/load-style.ts";
import { useStore } from "./ui/store.ts";

/** The frame of the page with its views. The inspector and the schedules are imported when they are opened. */
export function App({ services }: { services: Services }) {
  const { settings } = services;
  const place = usePlace();
  const { runnables, failure } = useRunnables(services);
  const [isSidebarOpen, setSidebarOpen] = useState(false);
  const [areKeysOpen, setKeysOpen] = useState(false);
  useSession(services, place, runnables);
  return (
    <div class="app">
      <Bar
        services={services}
        view={place.view}
        onChats={() => setSidebarOpen(true)}
        onKeys={() => setKeysOpen(true)}
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
        <ChatView services={services} runnables={runnables} isShown={place.view === "chat"} />
      </div>
      {place.view === "inspector" && <Inspector settings={settings} />}
      {place.view === "schedules" && <Schedules services={services} runnables={runnables} />}
      <KeysDialog keys={services.keys} isOpen={areKeysOpen} onClose={() => setKeysOpen(false)} />
    </div>
  );
}

type BarProps = { services: Services; view: Place["view"]; onChats: () => void; onKeys: () => void };

function Bar({ services, view, onChats, onKeys }: BarProps) {
  const { settings } = services;
  return (
    <header class="bar">
      {view === "chat" && (
        <button type="button" class="quiet menu" onClick={onChats} aria-label="Chats" title="Chats">
          <Icon name="menu" />
        </button>
      )}
      <a class="brand" href="#/">
        <Logo logo={settings.logo} />
        <span class="brand-name">{settings.title}</span>
      </a>
      <Views view={view} services={services} />
      {settings.hasKeys && (
        <button type="button" class="quiet" onClick={onKeys} aria-label="Keys of vendors" title="Keys of vendors">
          <Icon name="key" />
        </button>
      )}
    </header>
  );
}

/** The logo of the host, or Troupe's own logo. The name stands beside it. */
function Logo({ logo }: Pick<Settings, "logo">) {
  if (logo === false) return null;
  return logo === undefined ? <Mark /> : <img src={logo} alt="" width={26} height={26} />;
}

/** The links to the views, if the service has more than the chat. */
function Views({ view, services }: { view: Place["view"]; services: Services }) {
  const sessionId = useStore(services.conversation, (state) => state.sessionId);
  const { hasSchedules, inspectorStyle } = services.settings;
  const hasInspector = inspectorStyle !== undefined;
  if (!hasInspector && !hasSchedules) return <span class="views none" />;
  return (
    <nav class="views" aria-label="Views">
      <a href={addressOf(sessionId)} aria-current={view === "chat" ? "page" : undefined}>
        Chat
      </a>
      {hasSchedules && (
        <a href="#/schedules" aria-current={view === "schedules" ? "page" : undefined}>
          Schedules
        </a>
      )}
      {hasInspector && (
        <a href="#/inspector" aria-current={view === "inspector" ? "page" : undefined}>
          Inspector
        </a>
      )}
    </nav>
  );
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

function useRunnables({ api, conversation, sessions }: Services) {
  const [runnables, setRunnables] = useState<readonly RunnableInfo[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const found = await api.runnables();
        conversation.setRunnables(found);
        setRunnables(found);
      } catch (error) {
        setFailure((error as Error).message);
      }
    };
    void load();
    void sessions.load();
  }, []);
  return { runnables, failure };
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

function Schedules(props: SchedulesProps) {
  const [Loaded, setLoaded] = useState<ComponentType<SchedulesProps>>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    import("./schedules/schedules-view.tsx").then(
      ({ SchedulesView }) => setLoaded(() => SchedulesView),
      () => setMissing(true),
    );
  }, []);
  if (Loaded !== undefined) return <Loaded {...props} />;
  return <main class="activity">{isMissing ? "The schedules could not be loaded. Reload the page." : "Loading…"}</main>;
}

function Inspector({ settings }: { settings: Settings }) {
  const [Loaded, setLoaded] = useState<ComponentType<{ settings: Settings }>>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const load = async (): Promise<void> => {
      try {
        const style = settings.inspectorStyle && loadStyle(settings.inspectorStyle);
        const [{ InspectorView }] = await Promise.all([import("./inspector/inspector-view.tsx"), style]);
        setLoaded(() => InspectorView);
      } catch {
        setMissing(true);
      }
    };
    void load();
  }, []);
  if (Loaded !== undefined) return <Loaded settings={settings} />;
  return <main class="activity">{isMissing ? "The inspector could not be loaded. Reload the page." : "Loading…"}</main>;
}
