/** The settings that the server writes into the document. */
export type Settings = {
  readonly title: string;
  /** The URL of the API of agents, teams and workflows; paths are resolved below it. */
  readonly api: URL;
  /** The URL of the page itself, which ends in a slash. */
  readonly base: URL;
  readonly suggestions: Readonly<Record<string, readonly string[]>>;
  /** False if the server has no users, and therefore lists no sessions and runs. */
  readonly hasUsers: boolean;
  /** True if the caller may have schedules. */
  readonly hasSchedules: boolean;
  /** The URL of the inspector's style sheet. Undefined if the server has no inspector. */
  readonly inspectorStyle: URL | undefined;
};

type WrittenSettings = Pick<Settings, "title" | "suggestions" | "hasUsers"> & {
  readonly hasSchedules?: boolean;
  readonly api: string;
  readonly base: string;
  readonly inspectorStyle?: string;
};

/** Reads the settings from their element in the document. */
export function readSettings(element: HTMLElement): Settings {
  const written = JSON.parse(element.dataset["settings"] ?? "{}") as WrittenSettings;
  const { title, api, base, suggestions, hasUsers, hasSchedules = false, inspectorStyle } = written;
  return {
    title,
    suggestions,
    hasUsers,
    hasSchedules,
    api: new URL(api.endsWith("/") ? api : `${api}/`, location.origin),
    base: new URL(base, location.href),
    inspectorStyle: inspectorStyle === undefined ? undefined : new URL(inspectorStyle, location.href),
  };
}
