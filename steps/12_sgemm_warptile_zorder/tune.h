#pragma once

/// `--tune`: measures what each choice of tiles costs on this GPU, and prints it as kTunedTiles has
/// it. In tune.cuh. Throws host::UsageError on the CPU backend.
void tune();
