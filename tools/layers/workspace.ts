/** A source file, its path relative to the root of the repository. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Fields of a `package.json` that the rules need. The folder of the root is `""`. */
export interface Manifest {
  readonly folder: string;
  readonly name: string;
  /** Dependencies that users of the package install: regular, peer and optional ones. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** All files and manifests that the rules judge. */
export interface Workspace {
  readonly files: readonly SourceText[];
  readonly manifests: readonly Manifest[];
}

/** Returns the innermost manifest around the file. */
export function manifestOf(path: string, manifests: readonly Manifest[]): Manifest {
  const around = manifests.filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`));
  const [innermost] = around.toSorted((one, other) => other.folder.length - one.folder.length);
  return innermost ?? { folder: "", name: "", dependencies: [], devDependencies: [] };
}

/** Returns true for a test, and for a helper in a `test` or `tests` folder. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|(^|\/)tests?\//.test(path);
}

/** Returns true for a file that its package builds, rather than one that tests, measures or configures it. */
export function isBuilt(path: string, { folder }: Manifest): boolean {
  return folder !== "" && path.startsWith(`${folder}/src/`) && !isTest(path);
}
