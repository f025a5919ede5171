import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { moveFocus } from "../ui/focus.ts";
import { Icon } from "../ui/icon.tsx";
import { useStore } from "../ui/store.ts";
import { faultOfKey, vendors } from "./key-ring.ts";
import type { KeyRing, VendorId } from "./key-ring.ts";
import { strings } from "../strings/strings.ts";

/** The dialog for entering vendor keys. An entered key is never shown again. */
export function KeysDialog({ keys, isOpen, onClose }: { keys: KeyRing; isOpen: boolean; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { present, isKept, isRefused } = useStore(keys);
  // A layout effect opens the dialog before the browser handles the next key press, which then goes to the dialog.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="sheet">
        <header>
          <h2 id="keys-title">{strings.common.keysOfVendors}</h2>
          <button
            type="button"
            class="quiet"
            onClick={onClose}
            aria-label={strings.common.close}
            title={strings.common.close}
          >
            <Icon name="cross" />
          </button>
        </header>
        <p class="muted">{strings.keys.lead}</p>
        {isOpen &&
          vendors.map(({ id, name }) => (
            <KeyRow key={id} id={id} name={name} isPresent={present.includes(id)} keys={keys} />
          ))}
        <KeepSwitch {...{ isKept, isRefused, keys }} />
      </div>
    </dialog>
  );
}

type SwitchProps = { isKept: boolean; isRefused: boolean; keys: KeyRing };

function KeepSwitch({ isKept, isRefused, keys }: SwitchProps) {
  const inMemory = strings.keys.inMemory;
  const isStored = strings.keys.inTab;
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        checked={isKept}
        onChange={(event) => {
          keys.keep(event.currentTarget.checked);
          // The switch is set even if the state is unchanged, because the browser may have refused to store the keys.
          event.currentTarget.checked = keys.state.isKept;
        }}
      />
      <span>
        {strings.keys.keepKeys}
        <small class="muted" role="status">
          {isRefused ? strings.keys.refused(inMemory) : isKept ? isStored : inMemory}
        </small>
      </span>
    </label>
  );
}

type KeyFormProps = { id: VendorId; name: string; keys: KeyRing };

function KeyRow({ isPresent, ...row }: KeyFormProps & { isPresent: boolean }) {
  const { id, name, keys } = row;
  const forget = useRef<HTMLButtonElement>(null);
  const [wasPresent, setWasPresent] = useState(isPresent);
  // The control that was used disappears, so the focus moves to the control that replaces it.
  useLayoutEffect(() => {
    if (isPresent === wasPresent) return;
    setWasPresent(isPresent);
    moveFocus(null, isPresent ? forget.current : document.querySelector<HTMLElement>(`#key-${id}`));
  }, [isPresent]);
  if (!isPresent) return <KeyForm {...row} />;
  return (
    <div class="key">
      <span class="key-name">{name}</span>
      <span class="key-set">
        <Icon name="check" size={16} /> {strings.keys.isSet}
      </span>
      <button
        type="button"
        ref={forget}
        onClick={() => keys.put(id, undefined)}
        aria-label={strings.keys.forgetNamed(name)}
      >
        {strings.keys.forget}
      </button>
    </div>
  );
}

function KeyForm({ id, name, keys }: KeyFormProps) {
  const [entered, setEntered] = useState("");
  const [fault, setFault] = useState<string>();
  const save = () => {
    const found = faultOfKey(entered.trim());
    setFault(found);
    if (found !== undefined) return;
    keys.put(id, entered.trim());
    setEntered("");
  };
  return (
    <form
      class="key"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label class="key-name" for={`key-${id}`}>
        {name}
      </label>
      <input
        id={`key-${id}`}
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder={strings.keys.keyOf(name)}
        value={entered}
        aria-invalid={fault !== undefined}
        onInput={(event) => setEntered(event.currentTarget.value)}
      />
      <button type="submit" aria-label={strings.keys.useNamed(name)}>
        {strings.keys.use}
      </button>
      {fault !== undefined && (
        <p class="failure" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
