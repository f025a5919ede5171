import type { RunnableInfo } from "@troupe-internal/client";
import { addressOf } from "../place.ts";
import type { Services } from "../services.ts";
import { strings } from "../strings/strings.ts";
import type { ChoiceGroup } from "../ui/choice-list.tsx";
import type { IconName } from "../ui/icon.tsx";
import { matchWords } from "../ui/match-words.ts";
import { themes } from "../ui/theme.ts";
import { plainLine } from "../ui/unseen.ts";

/** The acts of the page that commands need beside its services. */
export type CommandActs = {
  readonly newChat: () => void;
  readonly ask: (runnable: RunnableInfo) => void;
  readonly openKeys: () => void;
};

/** A command of the palette. */
export type Command = {
  readonly id: string;
  readonly title: string;
  /** Words that find the command beside its title. */
  readonly words?: string | undefined;
  readonly icon: IconName;
  /** The runnable that the command asks. */
  readonly runnable?: RunnableInfo;
  /** True for what is shown or chosen now. */
  readonly isCurrent?: boolean;
  readonly run: () => void;
};

/** The maximum number of chats that are shown at once. */
const mostChats = 20;

/** Returns all commands of the page in groups: its actions, views, agents and chats. */
export function commandsOf(
  services: Services,
  runnables: readonly RunnableInfo[],
  acts: CommandActs,
): ChoiceGroup<Command>[] {
  const { palette, common, app } = strings;
  return [
    { heading: palette.actions, members: actionsOf(services, acts) },
    { heading: app.views, members: viewsOf(services) },
    { heading: palette.ask, members: runnables.map((runnable, at) => askingOf(runnable, at, acts)) },
    { heading: common.chats, members: chatsOf(services) },
  ];
}

/** Returns the commands that have each word of the query, in their groups. Groups without one are left out. */
export function findCommands(groups: readonly ChoiceGroup<Command>[], query: string): ChoiceGroup<Command>[] {
  const matches = matchWords(query);
  return groups.flatMap(({ heading, members }) => {
    const found = members.filter(({ title, words = "" }) => matches(`${title} ${words}`));
    const isChats = heading === strings.common.chats;
    return found.length === 0 ? [] : [{ heading, members: isChats ? found.slice(0, mostChats) : found }];
  });
}

function actionsOf({ settings, theme, shares }: Services, { newChat, openKeys }: CommandActs): Command[] {
  const { palette, common } = strings;
  const keys: Command = { id: "keys", title: common.keysOfVendors, icon: "key", run: openKeys };
  const links: Command = { id: "shares", title: strings.shares.all, icon: "link", run: () => shares.open() };
  return [
    { id: "new", title: common.newChat, icon: "plus", run: newChat },
    ...(settings.hasKeys ? [keys] : []),
    ...(settings.hasUsers && settings.shareMs !== undefined ? [links] : []),
    ...themes.map((name) => ({
      id: `theme-${name}`,
      title: palette.theme[name],
      icon: name === "dark" ? ("moon" as const) : name === "light" ? ("sun" as const) : ("screen" as const),
      isCurrent: theme.name === name,
      run: () => theme.choose(name),
    })),
  ];
}

function viewsOf({ settings, inbox, conversation }: Services): Command[] {
  const { common, inbox: waiting } = strings;
  const to = (look: Pick<Command, "id" | "title" | "icon">, hash = `#/${look.id}`): Command => ({
    ...look,
    isCurrent: location.hash === hash || (look.id === "chat" && location.hash === ""),
    run: () => void (location.hash = hash),
  });
  return [
    to({ id: "chat", title: common.chat, icon: "chat" }, addressOf(conversation.state.sessionId)),
    to({ id: "inbox", title: waiting.link(inbox.count), icon: "inbox" }),
    ...(settings.hasSchedules ? [to({ id: "schedules", title: common.schedules, icon: "clock" })] : []),
    ...(settings.inspectorStyle === undefined
      ? []
      : [
          to({ id: "inspector", title: common.inspector, icon: "list" }),
          to({ id: "overview", title: strings.overview.title, icon: "split" }),
        ]),
  ];
}

function askingOf(runnable: RunnableInfo, at: number, { ask }: CommandActs): Command {
  const { kind, name, description } = runnable;
  return {
    id: `ask-${at}`,
    title: plainLine(name),
    words: `${description ?? ""} ${strings.palette.kinds[kind]}`,
    icon: kind,
    runnable,
    run: () => ask(runnable),
  };
}

function chatsOf({ sessions, pins, conversation }: Services): Command[] {
  const { pinned } = pins.state;
  const isPinned = new Set(pinned.map(({ sessionId }) => sessionId));
  const others = sessions.state.sessions.filter(({ sessionId }) => !isPinned.has(sessionId));
  return [...pinned, ...others].map(({ sessionId, title }, at) => ({
    id: `chat-${at}`,
    title: plainLine(title ?? "").trim() || strings.common.untitled,
    icon: "chat",
    isCurrent: conversation.state.sessionId === sessionId,
    run: () => void (location.hash = addressOf(sessionId)),
  }));
}
