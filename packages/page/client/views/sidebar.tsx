import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Services } from "../services.ts";
import { Icon } from "../ui/icon.tsx";
import { SessionNav } from "./session-nav.tsx";
import { strings } from "../strings/strings.ts";

/** In a window that is narrower than this, the sessions are in a drawer. */
const narrow = matchMedia("(max-width: 52rem)");

/** The sessions beside the chat. On a narrow screen they are in a drawer, which is opened from the bar. */
export function Sidebar({ services, isOpen, onClose }: { services: Services; isOpen: boolean; onClose: () => void }) {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const follow = () => setNarrow(narrow.matches);
    narrow.addEventListener("change", follow);
    return () => narrow.removeEventListener("change", follow);
  }, []);
  // A layout effect, so that the next key goes to the dialog.
  useLayoutEffect(() => {
    if (isOpen && isNarrow) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen, isNarrow]);
  if (!isNarrow) {
    return (
      <aside class="sidebar" aria-label={strings.common.chats}>
        <SessionNav services={services} onLeave={() => {}} />
      </aside>
    );
  }
  return (
    <dialog
      ref={dialog}
      class="sidebar"
      aria-label={strings.common.chats}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <button
        type="button"
        class="quiet close"
        onClick={onClose}
        aria-label={strings.common.close}
        title={strings.common.close}
      >
        <Icon name="cross" />
      </button>
      <SessionNav services={services} onLeave={onClose} />
    </dialog>
  );
}
