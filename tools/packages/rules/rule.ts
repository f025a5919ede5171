import type { Workspace, WorkspacePackage } from "../workspace.ts";

/** Looks at one package and says, in whole sentences, what is wrong with it. */
export type PackageRule = (subject: WorkspacePackage, workspace: Workspace) => string[];
