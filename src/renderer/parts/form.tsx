/** Forms, in a place and as dialogs: Enter does what their button does. */
import { Button, Modal } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { ErrorNote } from './notes.tsx';

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { onSubmit(): void };

/** A form whose page stays where it is. */
export function Form({ onSubmit, className = 'stack', ...form }: FormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      {...form}
    />
  );
}

type FormDialogProps = {
  title: string;
  size?: 'lg' | 'xl';
  /** The words of its button. */
  act: string;
  disabled?: boolean;
  isPending?: boolean;
  /** Not what the dialog is there for: something speaks against it. */
  isPlain?: boolean;
  cancel?: string;
  error?: unknown;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
};

/** A dialog that asks for something and then does it. */
export function FormDialog(props: FormDialogProps) {
  const { title, size = 'md', act, disabled = false, isPending = false, isPlain = false } = props;
  const { cancel = 'Cancel', error = null, onSubmit, onClose, children } = props;
  return (
    <Modal opened title={title} size={size} onClose={onClose}>
      <Form onSubmit={onSubmit}>
        {children}
        {error !== null && <ErrorNote error={error} />}
        <div className="row between">
          <Button onClick={onClose}>{cancel}</Button>
          <Button variant={isPlain ? 'default' : 'filled'} type="submit" disabled={disabled} loading={isPending}>
            {act}
          </Button>
        </div>
      </Form>
    </Modal>
  );
}
