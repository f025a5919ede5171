/** What the server tells the page in its document. */
export type Settings = {
  readonly title: string;
  /** The URL of the API of agents, teams and workflows; paths are resolved below it. */
  readonly api: URL;
  /** The URL of the page itself, which ends in a slash. */
  readonly base: URL;
  readonly suggestions: Readonly<Record<string, readonly string[]>>;
  /** False when the server lists the sessions and runs of nobody. */
  readonly hasUsers: boolean;
  /** True when the server has the routes of the inspector. */
  readonly hasInspector: boolean;
};

/** Reads the settings from the element of the document that has them. */
export function readSettings(element: HTMLElement): Settings {
  const { title, api, base, suggestions, hasUsers, hasInspector } = JSON.parse(
    element.dataset["settings"] ?? "{}",
  ) as Record<"title" | "api" | "base", string> & Pick<Settings, "suggestions" | "hasUsers" | "hasInspector">;
  const origin = new URL(api.endsWith("/") ? api : `${api}/`, location.origin);
  return { title, suggestions, hasUsers, hasInspector, api: origin, base: new URL(base, location.href) };
}
