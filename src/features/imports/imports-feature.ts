// Imports as a feature: lines of a file that create objects.
import type { Feature } from '../feature.ts';
import { products } from '../products/products-feature.ts';
import { importsMigrations } from './imports-migrations.ts';

export const imports: Feature = {
  name: 'imports',
  needs: [products],
  migrations: importsMigrations,
  async load() {
    const { importRoutes } = await import('./import-routes.ts');
    const { Imports } = await import('./line-imports.ts');
    return (core) => {
      const running = new Imports(core);
      const others = core.declared.imported.filter(({ plural }) => core.has(plural));
      return {
        groups: [{ invalidStatus: 422, routes: importRoutes({ ...core, imports: running, others }) }],
        metrics: () => running.families,
      };
    };
  },
};
