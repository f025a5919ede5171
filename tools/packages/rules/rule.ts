import type { Workspace, WorkspacePackage } from "../workspace.ts";

/** Checks one package. Returns a sentence for each fault. */
export type PackageRule = (subject: WorkspacePackage, workspace: Workspace) => string[];
