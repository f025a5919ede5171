import {
  arrayOf,
  baseUrlOption,
  functionOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  customOption,
} from "@troupe/core/kit";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { AgentProvider } from "../card/agent-card.ts";
import type { A2AExtendedCard } from "../card/extended-card.ts";
import { checkSecurity, securityOption, securitySchemesOption } from "../card/security-schemes.ts";
import type { CardSecurity, SecurityScheme } from "../card/security-schemes.ts";
import { pushOption } from "../push/push-options.ts";
import type { PushOptions, PushSettings } from "../push/push-options.ts";

/** Options of {@link a2a}. */
export type A2AOptions = {
  /**
   * Path of the JSON-RPC endpoint, relative to the path at which the service is mounted.
   * @default "/a2a"; "/" of `createA2AServer`
   */
  basePath?: string | undefined;
  /** The organization that agent cards name as the provider. @default none */
  provider?: AgentProvider | undefined;
  /**
   * The card at `/.well-known/agent-card.json` for clients that name no version, neither by `A2A-Version` nor by the
   * media type of 1.0. `"hybrid"` has the fields of all versions. `"v1"` has only the fields of A2A 1.0, for clients
   * that reject unknown fields. @default "hybrid"
   */
  cardMode?: "hybrid" | "v1" | undefined;
  /** The version of the agents in their cards. @default "1.0.0" */
  version?: string | undefined;
  /**
   * The public URL at which the service is mounted, such as `https://example.org`, for the URLs in cards.
   * @default the address of each request; shared caches may then not store the cards
   */
  baseUrl?: string | undefined;
  /**
   * Names of agents that may answer with a message instead of a task (`messageReply`). Their streams start only with
   * the first text or artifact, so that a message can be the whole stream. @default none
   */
  mayAnswerByMessage?: readonly string[] | undefined;
  /**
   * Ways in which the host authenticates clients, by name, in the form of OpenAPI; shown in agent cards. @default none
   */
  securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /**
   * The requirements of the host. A client must meet one of them, by using all of its schemes with their scopes. Shown
   * in agent cards. @default none
   */
  security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined;
  /**
   * Returns the card content for a signed-in client, which replaces the content of the public card, for example with
   * other skills. @default none: cards then declare no extended card
   */
  extendedCard?: A2AExtendedCard | undefined;
  /**
   * Push notifications to addresses that clients name: `true`, or an object of options. Durable runs with a persistent
   * storage then need `sealKeys`.
   * @default false: the service sends no requests to addresses that clients name
   */
  pushNotifications?: boolean | PushOptions | undefined;
};

const path = customOption<string>(
  'a path such as "/a2a", without a slash at its end',
  (value) => typeof value === "string" && (value === "/" || /^(?:\/[\w.~-]+)+$/.test(value)),
);

const provider: OptionCheck<AgentProvider> = nested({ organization: nonBlankString(), url: optional(baseUrlOption) });

const a2aOptions = {
  basePath: optional(path, "/a2a"),
  provider: optional(provider),
  cardMode: optional(oneOf("hybrid", "v1"), "hybrid"),
  version: optional(nonBlankString(), "1.0.0"),
  baseUrl: optional(baseUrlOption),
  mayAnswerByMessage: optional(arrayOf("names", nonBlankString()), []),
  securitySchemes: optional(securitySchemesOption),
  security: optional(securityOption),
  extendedCard: optional(functionOption<A2AExtendedCard>()),
  pushNotifications: optional(pushOption, false),
} satisfies OptionTable<A2AOptions>;

/** The names of the options that `createA2AServer` accepts besides the options of a service. */
export const shortFormNames = [...Object.keys(a2aOptions), "middleware"] as const;

/** The checked options of the protocol, with defaults. */
export type A2ASettings = Readonly<CardSecurity> & {
  readonly basePath: string;
  readonly provider?: AgentProvider;
  readonly cardMode: "hybrid" | "v1";
  readonly version: string;
  readonly baseUrl?: string;
  readonly mayAnswerByMessage: readonly string[];
  readonly extendedCard?: A2AExtendedCard;
  readonly pushNotifications: PushSettings | false;
};

/** Checks the options of A2A and fills in their defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readA2AOptions(options: A2AOptions, owner: string): A2ASettings {
  const settings = readOptions(a2aOptions, options, { owner });
  checkSecurity(settings);
  return settings;
}
