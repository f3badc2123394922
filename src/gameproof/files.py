"""Read and write data files and run folders."""
