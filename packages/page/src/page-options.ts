import type { RunService } from "@troupe/core/runs";
import {
  anyBoolean,
  anyString,
  arrayOf,
  functionLike,
  loggerOption,
  methods,
  nested,
  nonBlankString,
  optional,
  readOptions,
  satisfying,
  wrongOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import type { AuthorizeInspector } from "./inspector/access.ts";
import type { InspectorOptions } from "./inspector/inspector-routes.ts";

/** Options of `createPage`. */
export type PageOptions = {
  /** The path at which `createAgentRouter` is mounted, on the origin of the page. @default "/" */
  api?: string | undefined;
  /** The title of the page. @default "Troupe" */
  title?: string | undefined;
  /** Questions that a new chat proposes, by the name of the agent, team or workflow. @default none */
  suggestions?: Readonly<Record<string, readonly string[]>> | undefined;
  /** `false` for a host that knows no users: the page lists the sessions that its browser has begun, and asks for no others. @default true */
  users?: boolean | undefined;
  /** The runs that the inspector shows, and who may see them. @default no inspector */
  inspector?: InspectorOptions | undefined;
};

const path = satisfying<string>(
  'a path on the origin of the page, such as "/" or "/api"',
  (value) => typeof value === "string" && /^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/.test(value),
);

const suggestions: OptionCheck<PageOptions["suggestions"]> = (value, name, where) => {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null) throw wrongOption({ name, ...where }, "an object of arrays", value);
  const check = arrayOf(name, anyString);
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(entries.map(([key, texts]) => [key, check(texts, `${name}.${key}`, where)]));
};

const inspectorTable = {
  runs: methods<RunService>("a RunService", "get", "list", "events", "readInput", "find"),
  authorize: optional(functionLike<AuthorizeInspector>()),
  logger: optional(loggerOption),
} satisfies OptionTable<InspectorOptions>;

const optionTable = {
  api: optional(path, "/"),
  title: optional(nonBlankString(), "Troupe"),
  suggestions,
  users: optional(anyBoolean, true),
  inspector: optional(nested(inspectorTable)),
} satisfies OptionTable<PageOptions>;

/** Checked options of the page with their defaults: the result of {@link readPageOptions}. */
export type PageSettings = Readonly<OptionsOf<typeof optionTable>>;

/** Checks the options of `createPage` and fills in their defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readPageOptions(options: PageOptions): PageSettings {
  return readOptions(optionTable, options, { owner: "createPage" });
}
