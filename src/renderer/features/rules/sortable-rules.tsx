/** Ordering rules by dragging them, with the pointer or by keyboard. */

import {
  type Active,
  closestCenter,
  DndContext,
  KeyboardSensor,
  type Over,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { useReducedMotion } from '@mantine/hooks';
import { GripVertical } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Rule } from '../../../engine/domain.ts';
import { isolate } from '../../parts/text/names.ts';

/** A pointer that moves less than this only clicks. */
const dragDistancePx = 4;
const instructions =
  'Press Space to take the rule, the arrow keys to move it, Space to put it down, and Escape to leave it where it was.';

/** The id of the rule at a place of the draft, which stays while it moves among the others. */
const toId = (place: number) => `rule ${place}`;

type SortableRulesProps = {
  rules: readonly Rule[];
  order: readonly number[];
  onMove(place: number, by: number): void;
  children: ReactNode;
};

/**
 * The list around its `SortableRule`s. `order` has the places of the rules in the draft as they are asked; `onMove`
 * hears a rule that was put down elsewhere, by its place in the draft and how far it went in the order.
 */
export function SortableRules({ rules, order, onMove, children }: SortableRulesProps) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: dragDistancePx } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const ids = order.map(toId);
  const nameOf = ({ id }: Active | Over) => isolate(rules[order[ids.indexOf(String(id))] ?? -1]?.name ?? '');
  const rankOf = (over: Over | null) =>
    over === null ? 'outside the list' : `at ${ids.indexOf(String(over.id)) + 1} of ${ids.length}`;
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={({ active, over }) => {
        const from = ids.indexOf(String(active.id));
        const to = over === null ? -1 : ids.indexOf(String(over.id));
        const place = order[from];
        if (place !== undefined && to >= 0 && to !== from) onMove(place, to - from);
      }}
      accessibility={{
        screenReaderInstructions: { draggable: instructions },
        announcements: {
          onDragStart: ({ active }) => `${nameOf(active)} was taken.`,
          onDragOver: ({ active, over }) => `${nameOf(active)} is ${rankOf(over)}.`,
          onDragEnd: ({ active, over }) => `${nameOf(active)} was put down ${rankOf(over)}.`,
          onDragCancel: ({ active }) => `${nameOf(active)} stays where it was.`,
        },
      }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

/** One rule of the list, with the handle by which it is dragged. */
export function SortableRule({ place, name, children }: { place: number; name: string; children: ReactNode }) {
  const isStill = useReducedMotion();
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: toId(place),
    ...(isStill ? { transition: null } : {}),
  });
  return (
    <li
      ref={setNodeRef}
      className={isDragging ? 'sortable dragged' : 'sortable'}
      style={{ transform: transform === null ? undefined : `translateY(${Math.round(transform.y)}px)`, transition }}
    >
      {children}
      <button
        ref={setActivatorNodeRef}
        type="button"
        className="handle"
        title="Drag to change the order"
        {...attributes}
        aria-label={`Move ${isolate(name)}`}
        {...listeners}
      >
        <GripVertical size={14} aria-hidden="true" />
      </button>
    </li>
  );
}
