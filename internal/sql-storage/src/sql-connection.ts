import type { AppendRequest, Appended } from "./append-steps.ts";
import type { SqlSteps } from "./sql-steps.ts";
import type { Statements } from "./statements.ts";

/** What a driver makes of its database. Every member rejects with a `TroupeError`. */
export interface SqlConnection {
  /** The statements on its table. */
  readonly statements: Statements;
  /** Runs steps of which each statement may stand alone. Steps that met a passing trouble may be begun again. */
  run<Result>(begin: () => SqlSteps<Result>): Promise<Result>;
  /** Runs steps as a whole or not at all. They too may be begun again. */
  transact<Result>(begin: () => SqlSteps<Result>): Promise<Result>;
  /** Numbers a record and stores it. Nobody else gets the number, and the lease holds until it is stored. */
  append(request: AppendRequest): Promise<Appended>;
  /** Resolves when the table can be read. */
  ping(): Promise<void>;
  /** Lets go of everything. Called once, when nothing else is under way. */
  close(): Promise<void>;
}
