import type { ModelProvider } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import {
  booleanOption,
  stringOption,
  arrayOf,
  functionOption,
  integerOption,
  methodsOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
  wrongOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionsOf, OptionTable } from "@troupe/core/kit";
import { accentOption } from "./accent.ts";
import type { Accent } from "./accent.ts";
import { languages } from "./language.ts";
import type { Language } from "./language.ts";
import type { AuthorizeInspector } from "./inspector/access.ts";
import type { InspectorOptions } from "./inspector/inspector-routes.ts";
import type { OfferedModels } from "./inspector/run-again.ts";
import type { ShareOptions } from "./shares/share-routes.ts";

/** Options of `page`. */
export type PageOptions = {
  /** The path of the page, below the path at which its server is mounted. @default "/" */
  path?: string | undefined;
  /**
   * The path of the API of agents, teams and workflows, on the origin of the page.
   * @default the path at which the server of the page is mounted
   */
  api?: string | undefined;
  /** The title of the page. @default "Troupe" */
  title?: string | undefined;
  /** The heading of a new chat. @default "What can I help you with?" */
  welcome?: string | undefined;
  /**
   * The path of the logo in the bar, on the origin of the page: an image of 26 by 26 pixels. `false` for no logo.
   * @default the logo of Troupe
   */
  logo?: string | false | undefined;
  /**
   * The colour of buttons, links and chosen items in the light and in the dark scheme, as `#rrggbb`. A colour that could
   * not be read there is refused. @default violet
   */
  accent?: Accent | undefined;
  /**
   * `"web"` for the font Geist, which the page sends itself for the letters of European languages, or `"system"` for the
   * fonts of the visitor's system. @default "web"
   */
  fonts?: "web" | "system" | undefined;
  /**
   * The languages of the page's own texts: English and German. Each visitor gets the one that the browser prefers, and
   * the first one if it prefers another. @default ["en"]
   */
  languages?: readonly Language[] | undefined;
  /**
   * Names of the agents, teams and workflows that the page offers, in this order. The first one is asked unless the visitor
   * chooses another; a single one leaves no choice. The others are hidden and still callable through the API. A name that
   * the service does not have is refused when its server is made. `createPage` has no service and cannot check the names.
   * @default all
   */
  show?: readonly string[] | undefined;
  /** `false` for a service that takes no API keys of its users: the page then has no field for them. @default true */
  keys?: boolean | undefined;
  /**
   * Questions that a new chat suggests, by the name of the agent, team or workflow. The first JSON object among the
   * questions of a workflow is the example of its input, whose fields may be typed as lines such as `city: Oslo`.
   * @default none
   */
  suggestions?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * `false` for a host without users: the page then lists only the sessions that its browser has begun. @default true
   */
  users?: boolean | undefined;
  /** The runs that the inspector shows, and the rule for its viewers. @default no inspector */
  inspector?: InspectorOptions | undefined;
  /**
   * `true` lets people share their chats by a link that anyone can read until it ends or is revoked, or bounds for such
   * links. @default false
   */
  shares?: boolean | ShareOptions | undefined;
};

const ownPath = customOption<string>('a path such as "/" or "/chat", without a slash at its end', (value) => {
  return typeof value === "string" && /^\/([\w.~-]+(\/[\w.~-]+)*)?$/.test(value);
});

const apiPath = customOption<string>(
  'a path on the origin of the page, such as "/" or "/api"',
  (value) => typeof value === "string" && /^\/([\w.~-]+(\/[\w.~-]+)*\/?)?$/.test(value),
);

const logoPath = customOption<string | false>(
  'a path on the origin of the page, such as "/logo.svg", or false',
  (value) => value === false || (typeof value === "string" && /^\/(?:[\w.~-]+\/)*[\w.~-]+$/.test(value)),
);

const suggestions: OptionCheck<PageOptions["suggestions"]> = (value, name, where) => {
  if (value === undefined) return undefined;
  if (typeof value !== "object" || value === null) throw wrongOption({ name, ...where }, "an object of arrays", value);
  const check = arrayOf(name, stringOption);
  const entries = Object.entries(value as Record<string, unknown>);
  return Object.fromEntries(entries.map(([key, texts]) => [key, check(texts, `${name}.${key}`, where)]));
};

const showOption = customOption<readonly string[]>("a non-empty array of different names", (value) => {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
  return value.every((name) => typeof name === "string" && name !== "");
});

const languagesOption = customOption<readonly Language[]>(
  `a non-empty array of ${languages.map((each) => JSON.stringify(each)).join(" and ")}`,
  (value) => {
    if (!Array.isArray(value) || value.length === 0 || new Set(value).size < value.length) return false;
    return value.every((each) => languages.some((language) => language === each));
  },
);

const modelsOption = customOption<OfferedModels>("an object of models by name", (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((model: Partial<ModelProvider> | null) => typeof model?.generate === "function");
});

const inspectorTable = {
  runs: optional(methodsOption<RunService>("a RunService", "get", "list", "events", "readInput", "find")),
  authorize: optional(functionOption<AuthorizeInspector>()),
  modelCalls: optional(booleanOption),
  models: optional(modelsOption),
} satisfies OptionTable<InspectorOptions>;

const shareTable = {
  maxLifetimeMs: optional(integerOption(1)),
  service: optional(
    customOption<NonNullable<ShareOptions["service"]>>("a service", (value) => {
      return typeof (value as { sessions?: { share?: unknown } } | null)?.sessions?.share === "function";
    }),
  ),
} satisfies OptionTable<ShareOptions>;

const shareOptions = nested(shareTable);

/** Reads `true` as the default options, and `false` as no option. */
const sharesOption: OptionCheck<ShareOptions | undefined> = (value, name, where) => {
  if (value === undefined || value === false) return undefined;
  return shareOptions(value === true ? {} : value, name, where);
};

const optionTable = {
  path: optional(ownPath, "/"),
  api: optional(apiPath),
  title: optional(nonBlankString(), "Troupe"),
  welcome: optional(nonBlankString()),
  logo: optional(logoPath),
  accent: optional(accentOption),
  show: optional(showOption),
  fonts: optional(oneOf("web", "system"), "web"),
  languages: optional(languagesOption),
  keys: optional(booleanOption),
  suggestions,
  users: optional(booleanOption, true),
  inspector: optional(nested(inspectorTable)),
  shares: sharesOption,
} satisfies OptionTable<PageOptions>;

/** The checked options of the page, with defaults. {@link readPageOptions} makes them. */
export type PageSettings = Readonly<OptionsOf<typeof optionTable>>;

/**
 * Checks the options of the page and fills in their defaults. Throws `invalid_config` for a wrong or unknown option.
 */
export function readPageOptions(options: PageOptions, owner = "page"): PageSettings {
  return readOptions(optionTable, options, { owner });
}
