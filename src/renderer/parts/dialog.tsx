import { type ReactNode, useEffect, useId, useRef } from 'react';

/** A modal dialog on the platform's own element: focus stays inside, Escape closes, focus returns. */
export function Dialog({
  title,
  onClose,
  children,
  size = 'wide',
}: {
  title: string;
  onClose(): void;
  children: ReactNode;
  size?: 'wide' | 'narrow';
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={size}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </div>
      <div className="dialog-body stack">{children}</div>
    </dialog>
  );
}
