/** A source file, its path relative to the root of the repository. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** What the rules need of one `package.json`. The root's own stands in folder `""`. */
export interface Manifest {
  readonly folder: string;
  readonly name: string;
  /** What a user of the package gets with it: dependencies, peer and optional ones. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** Everything that the rules judge. */
export interface Workspace {
  readonly files: readonly SourceText[];
  readonly manifests: readonly Manifest[];
}

/** The manifest of the workspace that the file belongs to: the innermost one around it. */
export function manifestOf(path: string, manifests: readonly Manifest[]): Manifest {
  const around = manifests.filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`));
  const [innermost] = around.toSorted((one, other) => other.folder.length - one.folder.length);
  return innermost ?? { folder: "", name: "", dependencies: [], devDependencies: [] };
}

/** Whether the file is there for tests: a test, or a helper in a `test` or `tests` folder. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|(^|\/)tests?\//.test(path);
}

/** Whether the file is part of what its workspace builds, rather than there to test, measure or configure it. */
export function isBuilt(path: string, { folder }: Manifest): boolean {
  return folder !== "" && path.startsWith(`${folder}/src/`) && !isTest(path);
}
