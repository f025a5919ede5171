import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import type { Settings } from "./settings.ts";

type View = "chat" | "inspector";
type ViewComponent = ComponentType<{ settings: Settings }>;

/** The view that the fragment of the address names: `#/inspector…`, or the chat. */
function viewOf(hash: string): View {
  return hash.startsWith("#/inspector") ? "inspector" : "chat";
}

/** The frame of the page with its two views. The inspector is loaded when it is opened. */
export function App({ settings }: { settings: Settings }) {
  const [view, setView] = useState<View>(viewOf(location.hash));
  useEffect(() => {
    const follow = () => setView(viewOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <div class="app">
      <header class="bar">
        <span class="brand">{settings.title}</span>
        <nav aria-label="Views">
          <a href="#/" aria-current={view === "chat" ? "page" : undefined}>
            Chat
          </a>
          <a href="#/inspector" aria-current={view === "inspector" ? "page" : undefined}>
            Inspector
          </a>
        </nav>
      </header>
      {view === "chat" ? <main>Chat</main> : <Inspector settings={settings} />}
    </div>
  );
}

function Inspector({ settings }: { settings: Settings }) {
  const [Loaded, setLoaded] = useState<ViewComponent>();
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    import("./inspector/inspector-view.tsx").then(
      ({ InspectorView }) => setLoaded(() => InspectorView),
      () => setMissing(true),
    );
  }, []);
  if (Loaded !== undefined) return <Loaded settings={settings} />;
  return <main>{isMissing ? "The inspector could not be loaded. Reload the page." : "Loading…"}</main>;
}
