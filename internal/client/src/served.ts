/**
 * The types of a service, which `createClient<typeof service>()` reads. They are structural: the client depends on no
 * package of the service.
 */

/** The registries of a service by kind, which give a client its names and types. */
export type AnyService = { readonly served?: object | undefined };

type AnyRunnable = { run(...given: never[]): Promise<unknown> };

type Registry<Served, Kind extends string> = Kind extends keyof Served ? Served[Kind] : unknown;

/** An empty registry, for a kind of runnable that the service does not serve. */
type NoEntries = { readonly [Name in never]: AnyRunnable };

/** The agents, teams or workflows of a service by name; any name for a service whose type is not known. */
export type Entries<Of extends AnyService, Kind extends "agents" | "teams" | "workflows"> =
  Registry<NonNullable<Of["served"]>, Kind> extends infer Found
    ? Found extends ReadonlyMap<string, infer Entry>
      ? Record<string, Entry>
      : Found extends object
        ? Found
        : unknown extends Found
          ? Record<string, AnyRunnable>
          : NoEntries
    : never;

/** The names of the agents, teams or workflows of a service. */
export type NamesOf<Of extends AnyService, Kind extends "agents" | "teams" | "workflows"> = Extract<
  keyof Entries<Of, Kind>,
  string
>;

type ResultOf<Entry> = Entry extends { run(...given: never[]): Promise<infer Result> } ? Result : unknown;

/** The type of an agent's structured output: null for an agent without a schema, unknown for an unknown agent. */
export type StructuredOf<Entry> =
  ResultOf<Entry> extends infer Result
    ? unknown extends Result
      ? unknown
      : "structured" extends keyof Result
        ? Exclude<Result["structured"], undefined>
        : null
    : never;

/** The state of a workflow at its end. */
export type StateOf<Entry> = ResultOf<Entry> extends { state: infer State } ? State : Record<string, unknown>;

/** The input of a workflow: keys of its state, or a text for its first agent. */
export type WorkflowInputOf<Entry> = Entry extends { run(opts?: infer Opts): Promise<unknown> }
  ? NonNullable<Opts> extends { input?: infer Input }
    ? Exclude<Input, undefined>
    : Record<string, unknown> | string
  : Record<string, unknown> | string;
