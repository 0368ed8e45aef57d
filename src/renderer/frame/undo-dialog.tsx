import { Button, Modal } from '@mantine/core';

/** Asks before an act is taken back that changed more than the row in sight; Enter keeps it. */
export function UndoDialog({ title, run, onClose }: { title: string; run(): void; onClose(): void }) {
  const undo = () => {
    onClose();
    run();
  };
  return (
    <Modal opened title="Undo this?" onClose={onClose}>
      <div className="stack">
        <p className="wrap">{title}</p>
        <div className="row between">
          <Button data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button variant="filled" onClick={undo}>
            Undo it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
