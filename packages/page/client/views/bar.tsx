import { addressOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";
import { strings } from "../strings/strings.ts";
import { Icon, Mark } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";

type BarProps = {
  readonly services: Services;
  readonly view: Place["view"];
  readonly onChats: () => void;
  readonly onKeys: () => void;
  readonly onPalette: () => void;
};

/** The bar of the page: the brand, the links to the views, and the buttons that open a dialog. */
export function Bar({ services, view, onChats, onKeys, onPalette }: BarProps) {
  const { settings } = services;
  return (
    <header class="bar">
      {view === "chat" && (
        <button
          type="button"
          class="quiet menu"
          onClick={onChats}
          aria-label={strings.common.chats}
          title={strings.common.chats}
        >
          <Icon name="menu" />
        </button>
      )}
      <a class="brand" href="#/">
        <Logo logo={settings.logo} />
        <span class="brand-name">{settings.title}</span>
      </a>
      <Views view={view} services={services} />
      <button
        type="button"
        class="quiet"
        onClick={onPalette}
        aria-label={strings.palette.open}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        title={strings.palette.open}
      >
        <Icon name="search" />
      </button>
      {settings.hasKeys && (
        <button
          type="button"
          class="quiet"
          onClick={onKeys}
          aria-label={strings.common.keysOfVendors}
          title={strings.common.keysOfVendors}
        >
          <Icon name="key" />
        </button>
      )}
    </header>
  );
}

/** The logo of the host, or that of Troupe. The name stands beside it. */
export function Logo({ logo }: Pick<Settings, "logo">) {
  if (logo === false) return null;
  return logo === undefined ? <Mark /> : <img src={logo} alt="" width={26} height={26} />;
}

/** The links to the views, if the service has more than the chat. */
function Views({ view, services }: { view: Place["view"]; services: Services }) {
  const sessionId = useStore(services.conversation, (state) => state.sessionId);
  const { isListed, runs } = useStore(services.inbox);
  const { hasSchedules, inspectorStyle } = services.settings;
  const hasInbox = isListed || runs.length > 0;
  if (inspectorStyle === undefined && !hasSchedules && !hasInbox) return <span class="views none" />;
  const link = (to: Place["view"], href: string, text: string) => (
    <a href={href} aria-current={isOf(view, to) ? "page" : undefined} title={text}>
      <Icon name={icons[to]} size={18} />
      <span class="view-name">{text}</span>
    </a>
  );
  return (
    <nav class="views" aria-label={strings.app.views}>
      {link("chat", addressOf(sessionId), strings.common.chat)}
      {hasSchedules && link("schedules", "#/schedules", strings.common.schedules)}
      {inspectorStyle !== undefined && link("inspector", "#/inspector", strings.common.inspector)}
      {hasInbox && <InboxLink count={services.inbox.count} isCurrent={view === "inbox"} />}
    </nav>
  );
}

/** The icons of the views, in place of their names where there is no room for these. */
const icons = { chat: "chat", schedules: "clock", inspector: "list", overview: "list", inbox: "inbox" } as const;

/** Returns true if the view is shown, or one that is opened from it. */
function isOf(view: Place["view"], link: Place["view"]): boolean {
  return view === link || (view === "overview" && link === "inspector");
}

/** The link to the runs that wait, with their number. */
function InboxLink({ count, isCurrent }: { count: number; isCurrent: boolean }) {
  const name = strings.inbox.link(count);
  return (
    <a href="#/inbox" class="inbox-link" aria-current={isCurrent ? "page" : undefined} aria-label={name} title={name}>
      <Icon name="inbox" size={18} />
      {count > 0 && <span class="count">{count > 99 ? "99+" : count}</span>}
    </a>
  );
}
