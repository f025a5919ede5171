import { strings } from "./strings/strings.ts";

/** The settings that the server writes into the document. */
export type Settings = {
  readonly title: string;
  /** The URL of the API of agents, teams and workflows; paths are resolved below it. */
  readonly api: URL;
  /** The URL of the page itself, which ends in a slash. */
  readonly base: URL;
  readonly suggestions: Readonly<Record<string, readonly string[]>>;
  /** The names of the agents, teams and workflows that the host shows. Undefined if it shows all. */
  readonly shown: readonly string[] | undefined;
  /** False if the server has no users, and therefore lists no sessions and runs. */
  readonly hasUsers: boolean;
  /** True if the caller may have schedules. */
  readonly hasSchedules: boolean;
  /** The URL of the inspector's style sheet. Undefined if the server has no inspector. */
  readonly inspectorStyle: URL | undefined;
  /** The URL of the style sheet of workflow graphs. Undefined if the server has no workflows. */
  readonly graphStyle: URL | undefined;
  /** The URL of the style sheet of charts. */
  readonly chartStyle: URL | undefined;
  /** The heading of a new chat. */
  readonly welcome: string;
  /** The path of the host's logo. False for no logo, undefined for Troupe's logo. */
  readonly logo: string | false | undefined;
  /** False if the service takes no API keys of its users. */
  readonly hasKeys: boolean;
  /** The accent colours of the host, for the light and the dark scheme. */
  readonly accent: { readonly light: string; readonly dark: string } | undefined;
  /** The greatest number of milliseconds for which a chat can be shared. Undefined if the host allows no sharing. */
  readonly shareMs: number | undefined;
  /** True if the document shows a shared chat. */
  readonly isShared: boolean;
};

type WrittenSettings = Pick<Settings, "title" | "suggestions" | "hasUsers"> & {
  readonly shown?: readonly string[];
  readonly welcome?: string;
  readonly logo?: string | false;
  readonly hasKeys?: false;
  readonly accent?: Settings["accent"];
  readonly hasSchedules?: boolean;
  readonly api: string;
  readonly base: string;
  readonly inspectorStyle?: string;
  readonly graphStyle?: string;
  readonly chartStyle?: string;
  readonly shareMs?: number;
  readonly isShared?: true;
};

/** Reads the settings from their element in the document. */
export function readSettings(element: HTMLElement): Settings {
  const written = JSON.parse(element.dataset["settings"] ?? "{}") as WrittenSettings;
  const { title, api, base, suggestions, hasUsers, hasSchedules = false, inspectorStyle, graphStyle } = written;
  const { welcome = strings.welcome.heading, logo, hasKeys = true, accent, shareMs, isShared = false } = written;
  return {
    welcome,
    logo,
    hasKeys,
    accent,
    shareMs,
    isShared,
    title,
    suggestions,
    shown: written.shown,
    hasUsers,
    hasSchedules,
    api: new URL(api.endsWith("/") ? api : `${api}/`, location.origin),
    base: new URL(base, location.href),
    inspectorStyle: urlOf(inspectorStyle),
    graphStyle: urlOf(graphStyle),
    chartStyle: urlOf(written.chartStyle),
  };
}

function urlOf(path: string | undefined): URL | undefined {
  return path === undefined ? undefined : new URL(path, location.href);
}
