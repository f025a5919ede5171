import { Component } from "preact";
import type { ComponentChild, FunctionComponent } from "preact";

/** Returns a component that is shown anew only when one of its properties is another one than before. */
export function memo<Props extends object>(Shown: (props: Props) => ComponentChild): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before: Props = this.props;
      const names = Object.keys({ ...before, ...next }) as (keyof Props)[];
      return names.some((name) => next[name] !== before[name]);
    }

    override render() {
      return <Shown {...this.props} />;
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
