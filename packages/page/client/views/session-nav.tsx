import { useEffect, useRef, useState } from "preact/hooks";
import type { Services } from "../services.ts";
import { groupSessions } from "../sessions/find-sessions.ts";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { SessionItem } from "./session-item.tsx";
import { strings } from "../strings/strings.ts";

type NavProps = { services: Services; onLeave: () => void };

/** The chats, a field to search in them, and the button for a new chat. */
export function SessionNav({ services, onLeave }: NavProps) {
  const { sessions, next, failure } = useStore(services.sessions);
  const [query, setQuery] = useState("");
  useOlder(services, query === "" ? undefined : next);
  const begin = () => {
    services.conversation.clear();
    onLeave();
    if (location.hash === "#/" || location.hash === "") return;
    location.hash = "#/";
  };
  return (
    <nav class="sessions" aria-label={strings.common.chats}>
      <button type="button" class="new" onClick={begin}>
        <Icon name="plus" size={18} />
        {strings.common.newChat}
      </button>
      {(sessions.length > 1 || query !== "") && <SearchField query={query} onQuery={setQuery} />}
      <Sessions services={services} query={query} onLeave={onLeave} />
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
      {next !== undefined && (
        <button type="button" class="more" onClick={() => void services.sessions.loadMore()}>
          {strings.sessions.older}
        </button>
      )}
    </nav>
  );
}

/** The chats under their headings. */
function Sessions({ services, query, onLeave }: NavProps & { query: string }) {
  const { sessions, open, isLoaded, failure } = useStore(services.sessions);
  const { pinned } = useStore(services.pins);
  const current = useStore(services.conversation, (state) => state.sessionId);
  const groups = groupSessions(sessions, { pinned, query, now: Date.now() });
  if (groups.length === 0) {
    if (!isLoaded || failure !== undefined) return null;
    return (
      <p class="muted" role={query === "" ? undefined : "status"}>
        {query === "" ? strings.sessions.none : strings.sessions.noneFound}
      </p>
    );
  }
  return groups.map(([heading, group]) => (
    <section key={heading} aria-label={heading}>
      <h2>{heading}</h2>
      <ul>
        {group.map((session) => (
          <SessionItem
            key={session.sessionId}
            session={session}
            status={open.get(session.sessionId)}
            isCurrent={session.sessionId === current}
            services={services}
            onLeave={onLeave}
          />
        ))}
      </ul>
    </section>
  ));
}

/** The field that filters the chats by their titles. Escape empties it. */
function SearchField({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  return (
    <div class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        aria-label={strings.sessions.find}
        placeholder={strings.sessions.find}
        list={undefined}
        autocomplete="off"
        value={query}
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || query === "") return;
          // Without this, the Escape key would also close the drawer that contains this list in a narrow window.
          event.preventDefault();
          onQuery("");
        }}
      />
    </div>
  );
}

/** The maximum number of pages of older chats that one search reads. */
const mostPages = 25;

/** Reads older chats, page by page, while a search is entered: the service itself does not search. */
function useOlder({ sessions }: Services, next: string | undefined): void {
  const pages = useRef(0);
  useEffect(() => {
    if (next === undefined) pages.current = 0;
    else if (pages.current < mostPages) {
      pages.current += 1;
      void sessions.loadMore();
    }
  }, [next]);
}
